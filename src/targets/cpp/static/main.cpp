// Answers: how does the exported network perform on its stimuli?
// Part of an exported project; may be used without condition.
#if !defined(NO_DIRENT) || defined(SAVE_OUTPUTS)
#include <sys/stat.h>
#endif

#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "include/compare.hpp"
#include "include/dispatch.hpp"
#include "include/distance.hpp"
#include "include/driven.hpp"
#include "include/fail.hpp"
#include "include/feature_map.hpp"
#include "include/options.hpp"
#include "include/score.hpp"
#include "include/stimulus.hpp"
#include "include/timing.hpp"

#ifndef STIMULI_DIRECTORY
#define STIMULI_DIRECTORY "./stimuli"
#endif

namespace N2D2_Export {
namespace {

// What happens to the outputs of cells while a stimulus runs.
struct Observer {
  std::string stimulus;
  Comparison* comparison;
  FeatureMap scores;               // output of the cell of target 0
  std::map<int, FeatureMap> maps;  // maps that are not complete, by their index
};

void observe(const MapRows* rows, void* user) {
  Observer& observer = *static_cast<Observer*>(user);
  FeatureMap& map = observer.maps[rows->index];
  add_rows(*rows, map);
  if (rows->from + rows->rows < rows->height) return;
  const std::string cell = rows->cell;
  if (observer.comparison) observer.comparison->add(observer.stimulus, cell, map);
#ifdef SAVE_OUTPUTS
  write_map("outputs/" + cell + "_output.txt", map);
#endif
  if (cell == facts().cells[0]) observer.scores = map;
  observer.maps.erase(rows->index);
}

#ifdef SAVE_OUTPUTS
void save_ends(const Stimulus& stimulus, const std::vector<int32_t>& outputs) {
  const NetworkFacts& all = facts();
  write_map("outputs/env_output.txt",
            copy_map(&stimulus.data[0], all.input, all.width, all.height, all.channels));
  FeatureMap classes;
  classes.width = all.sizes[0], classes.height = 1, classes.channels = 1;
  classes.values.assign(outputs.begin(), outputs.begin() + all.sizes[0]);
  write_map("outputs/max_output.txt", classes);
}
#endif

// Writes the outputs of all stimuli, a line each; does nothing without a path.
class ClassesFile {
 public:
  explicit ClassesFile(const std::string& path) : path_(path) {
    if (!path_.empty()) file_.open(path_.c_str());
    file_.precision(9);
    check();
  }

  void add(const std::string& stimulus, const std::vector<int32_t>& outputs) {
    if (path_.empty()) return;
    file_ << stimulus;
    for (size_t i = 0; i < outputs.size(); ++i) file_ << " " << +outputs[i];
    file_ << "\n";
  }

  void close() {
    if (!path_.empty()) file_.close();
    check();
  }

 private:
  void check() const {
    if (!path_.empty() && !file_) fail(path_ + ": cannot be written");
  }

  std::string path_;
  std::ofstream file_;
};

// Measures target 0: right classes, or the distance to data.
struct Figures {
  Score score;
  Distance distance;

  explicit Figures(int top) : score(top) {}
  bool of_data() const { return facts().are_data[0] != 0; }
  int count() const { return of_data() ? distance.count() : score.count(); }
  double value() const { return of_data() ? distance.mean() : score.percent(); }

  // Adds a stimulus and prints its line; `is_alone`: it is the only one.
  void add(const Stimulus& stimulus, const std::string& name, const std::vector<int32_t>& outputs,
           const FeatureMap& values, bool is_alone) {
    if (of_data()) {
      const double own = distance.add(stimulus, values);
      if (is_alone)
        std::printf("%s: %.6g\n", name.c_str(), own);
      else
        std::printf("%s: %.6g (mean %.6g)\n", name.c_str(), own, distance.mean());
      return;
    }
    score.add(stimulus, outputs, values);
    if (is_alone)
      std::printf("%g/1\n", score.success());
    else
      std::printf("%g/%d (%.6f%%)\n", score.success(), score.count(), score.percent());
  }

  // Prints the last line of a run.
  void print() const {
    if (of_data())
      std::printf("Mean squared error: %.6g\n", distance.mean());
    else if (score.count() > 0)
      std::printf("Score: %.6f%%\n", score.percent());
    else
      std::printf("Score: none, the stimuli have no labels\n");
  }
};

void write_results(const Options& options, const Figures& figures, const Comparison* comparison,
                   const std::vector<TimeSummary>& times) {
  const Score& score = figures.score;
  std::ofstream file(options.results.c_str());
  file.precision(9);
  file << "{\n";
  if (score.count() > 0)
    file << "  \"score\": " << score.percent() << ",\n  \"success\": " << score.success() << ",\n";
  if (figures.distance.count() > 0) file << "  \"mean_squared_error\": " << figures.distance.mean() << ",\n";
  file << "  \"count\": " << figures.count() << ",\n  \"topn\": " << options.top;
  if (options.confusion) file << ",\n  \"confusion\": " << score.confusion_json();
  if (comparison) file << ",\n  \"compare\": " << comparison->json();
  if (!times.empty()) file << ",\n  \"time\": " << time_json(times);
  file << "\n}\n";
  file.close();
  if (!file) fail(options.results + ": cannot be written");
#ifdef OUTPUTFILE
  std::ofstream rate("success_rate.txt");
  rate.precision(9);
  rate << figures.value() << "\n";
  rate.close();
  if (!rate) fail("success_rate.txt: cannot be written");
#endif
}

// Returns STIMULI_DIRECTORY, or its place beside the program's folder when the working directory lacks it.
std::string stimuli_directory(const std::string& program) {
  const std::string here = STIMULI_DIRECTORY;
#ifdef NO_DIRENT
  (void)program;
  return here;
#else
  const size_t slash = program.rfind('/');
  struct stat info;
  if (stat(here.c_str(), &info) == 0 || here[0] == '/' || slash == std::string::npos) return here;
  return program.substr(0, slash) + "/../" + here;
#endif
}

// Fails for options that have no meaning for this network.
void check_options(const Options& options) {
  if (facts().are_data[0] == 0) return;
  if (options.confusion || options.top > 1)
    fail(std::string(options.confusion ? "-confusion" : "-topn") +
         ": data are expected of target 0, which has no classes");
}

// Selects the instruction set of the options.
void take_isa(const std::string& name) {
  if (name.empty()) return;
#ifdef N2D2_DISPATCH
  if (!use_instruction_set(name.c_str()))
    fail("-isa " + name + ": this program does not hold it, or this processor lacks it; it runs with " +
         instruction_set());
#else
  fail("-isa " + name +
       ": this program holds one instruction set; `make DISPATCH=1` builds one with several");
#endif
}

// Runs all stimuli and prints one line each, then the score. A single one has one line.
int run(const Options& options, const std::string& program) {
  check_options(options);
  take_isa(options.isa);
  std::vector<std::string> paths(1, options.stimulus);
  const std::string directory = stimuli_directory(program);
  if (options.stimulus.empty()) paths = list_stimuli(directory);
  if (paths.empty() && options.repetitions == 0)
    fail(directory + ": no stimuli; '-stimulus FILE' runs one, '-time N' needs none");
  if (options.count > 0 && static_cast<size_t>(options.count) < paths.size())
    paths.resize(static_cast<size_t>(options.count));
  std::vector<TimeSummary> times;
  if (options.repetitions > 0) {
    times = measure(paths.empty() ? no_stimulus() : read_stimulus(paths[0]), options.repetitions);
    std::printf("%s", time_report(times).c_str());
  }

  Watchers watchers = Watchers();
  Figures figures(options.top);
  Comparison comparison(options.compare);
  ClassesFile classes(options.classes);
  Observer observer;
  observer.comparison = options.compare.empty() ? 0 : &comparison;
#ifdef SAVE_OUTPUTS
  const bool observed = true;
  mkdir("outputs", 0777);
#else
  const bool observed = observer.comparison || options.top > 1 || figures.of_data();
#endif
  if (observed) watchers.dump = observe, watchers.dump_user = &observer;
#ifdef BENCHMARK
  CellTimes cell_times;
  watchers.time = CellTimes::on_cell, watchers.time_user = &cell_times;
#endif

  for (size_t i = 0; i < paths.size(); ++i) {
    const Stimulus stimulus = read_stimulus(paths[i]);
    std::vector<int32_t> outputs(stimulus.targets.size());
    observer.stimulus = stimulus_name(paths[i]);
    const int code = propagate(&stimulus.data[0], &outputs[0], watchers);
    if (code != 0) fail(paths[i] + ": a delegate failed with code " + std::to_string(code));
    if (!is_memory_intact()) fail(paths[i] + ": a cell writes outside the arena");
#ifdef SAVE_OUTPUTS
    save_ends(stimulus, outputs);
#endif
#ifdef BENCHMARK
    std::printf("%s", cell_times.running_means().c_str());
#endif
    figures.add(stimulus, observer.stimulus, outputs, observer.scores, !options.stimulus.empty());
    classes.add(observer.stimulus, outputs);
  }
  release_network();
  classes.close();
  if (options.confusion) std::printf("%s", figures.score.confusion().c_str());
  if (observer.comparison) {
    comparison.check();
    std::printf("%s", comparison.report().c_str());
  }
  write_results(options, figures, observer.comparison, times);
  if (options.stimulus.empty() && !paths.empty()) figures.print();
  return observer.comparison && !comparison.equal() ? 1 : 0;
}

int driver(int argc, const char* const* argv) {
  const Options options = read_options(argc, argv);
  int status = 0;
  if (options.help)
    std::printf("%s", usage());
  else
    status = run(options, argv[0]);
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) fail("standard output: cannot be written");
  return status;
}

}  // namespace
}  // namespace N2D2_Export

int main(int argc, char** argv) {
#ifdef NO_EXCEPT
  return N2D2_Export::driver(argc, argv);
#else
  try {
    return N2D2_Export::driver(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
#endif
}
