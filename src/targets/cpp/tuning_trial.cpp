#include "tuning_trial.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "n2d2/base/read_file.hpp"
#include "n2d2/base/stop_signal.hpp"
#include "n2d2/base/text.hpp"

#include "planned_network.hpp"

extern char** environ;

namespace n2d2::targets::cpp {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostOutput = 64 << 20;
/// Runs of a program, and about how long each one measures.
constexpr int kRuns = 5;
constexpr double kMicrosecondsOfRun = 100'000;
constexpr int kFewest = 5, kMost = 5000;

/// An empty folder below the system's temporary one, gone at the end; a signal that asks the program to end
/// does so by an exception, which removes it.
class ScratchFolder {
 public:
  ScratchFolder() {
    const char* given = std::getenv("TMPDIR");
    const fs::path parent = given != nullptr && *given != '\0' ? given : "/tmp";
    std::string name = (parent / "n2d2_tune_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw ExportError(fmt::format("-tune: no folder can be made in '{}': {}", parent.string(),
                                    std::generic_category().message(errno)),
                        {}, "TMPDIR names the folder for temporary files");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }
  const StopSignal& signal() const { return signal_; }
  /// Interrupted when a signal came.
  void go_on() const {
    if (signal_.came() != 0)
      throw Interrupted("-tune: interrupted by " + signal_name(signal_.came()), signal_.came());
  }

 private:
  StopSignal signal_;
  fs::path path_;
};

/// How a program ended.
struct Ending {
  int status = -1;  ///< of its exit; -1: it did not run, or something else ended it
  bool was_late = false;
};

/// A child and all that it starts, which are a group of processes.
class Children {
 public:
  explicit Children(pid_t leader) : leader_(leader) {}

  /// Waits for the leader; a signal to this program, or the end of the time, ends all of them.
  Ending wait(const StopSignal& signal, std::chrono::seconds limit) {
    constexpr std::chrono::milliseconds kBetween{5};
    const auto end = std::chrono::steady_clock::now() + limit;
    for (int status = 0;; std::this_thread::sleep_for(kBetween)) {
      const pid_t ended = ::waitpid(leader_, &status, WNOHANG);
      if (ended == leader_) return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, false};
      if (ended < 0 && errno != EINTR) return {};
      const bool is_late = std::chrono::steady_clock::now() >= end;
      if (signal.came() == 0 && !is_late) continue;
      ::kill(-leader_, SIGKILL);
      ::waitpid(leader_, &status, 0);
      return {-1, is_late};
    }
  }

 private:
  pid_t leader_;
};

/// A program, found as a shell finds it, with standard output and error in a file. Interrupted after a
/// signal.
Ending run_program(const std::vector<std::string>& words, const ScratchFolder& folder, const fs::path& output,
                   std::chrono::seconds limit) {
  folder.go_on();
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t standard;  // what this program ignores
  ::sigemptyset(&standard);
  ::sigaddset(&standard, SIGXFSZ);
  ::posix_spawnattr_setsigdefault(&attributes, &standard);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return {};
  const Ending ending = Children(child).wait(folder.signal(), limit);
  folder.go_on();
  return ending;
}

/// How long a program may take: N2D2_TUNE_LIMIT.
std::chrono::seconds time_limit() {
  constexpr int64_t kStandard = 1800, kMost = 1'000'000;
  const char* given = std::getenv("N2D2_TUNE_LIMIT");
  if (given == nullptr || *given == '\0') return std::chrono::seconds(kStandard);
  const auto seconds = parse_integer(given);
  if (!seconds || *seconds < 1 || *seconds > kMost)
    throw ConfigError(fmt::format("N2D2_TUNE_LIMIT: expected seconds from 1 to {}, got '{}'",
                                  with_thousands(kMost), given));
  return std::chrono::seconds(*seconds);
}

std::string text_of(const fs::path& file) {
  try {
    return read_regular_file(file, kMostOutput);
  } catch (const FileError&) {
    return {};
  }
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return presentable(line);
}

/// The end of what a program said.
std::string last_lines(const std::string& text) {
  constexpr size_t kMostLines = 5;
  std::vector<std::string> lines = split(text, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() > kMostLines) lines.erase(lines.begin(), lines.end() - kMostLines);
  return lines.empty() ? "it said nothing" : join(lines, "; ");
}

std::string why(const Ending& ending, const fs::path& output, std::chrono::seconds limit) {
  if (ending.was_late)
    return fmt::format("it was ended after {} s, the most that N2D2_TUNE_LIMIT gives it", limit.count());
  return ending.status < 0 ? "it did not run" : last_lines(text_of(output));
}

/// What it printed. ExportError.
std::string output_of(const std::vector<std::string>& words, const ScratchFolder& folder,
                      const std::string& what) {
  const fs::path output = folder.path() / "output.txt";
  const std::chrono::seconds limit = time_limit();
  const Ending ending = run_program(words, folder, output, limit);
  if (ending.status != 0)
    throw ExportError(fmt::format("-tune: {} failed: {}", what, why(ending, output, limit)), {},
                      "forms are timed in a project that is compiled here; without -tune nothing is");
  return text_of(output);
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("model name") || line.starts_with("CPU part"))
      if (const size_t colon = line.find(": "); colon != std::string::npos)
        return first_line(line.substr(colon + 2));
  return "unknown processor";
}

std::string threads() {
  if (const char* given = std::getenv("OMP_NUM_THREADS")) return first_line(given);
  return std::to_string(std::thread::hardware_concurrency());
}

/// For a project that is timed and never tested: zeros stand for what its self test would compare.
exporter::Samples untested(const program::Program& program) {
  exporter::Samples out;
  out.judge = [&program](const Tensor&) {
    std::map<std::string, Tensor> values;
    for (const graph::ValueId id : program.graph.values()) {
      const TensorType& type = program.graph.value(id).type;
      if (!program.graph.value(id).is_constant())
        values.emplace(name_in_network(program, id), Tensor(type.shape, type.dtype));
    }
    return values;
  };
  return out;
}

/// What the file keeps of a time.
double rounded(double microseconds) {
  return std::max(0.001, std::round(microseconds * 1000) / 1000);
}

}  // namespace

TuningMachine this_machine(const std::string& version) {
  const ScratchFolder folder;
  const fs::path output = folder.path() / "version.txt";
  const char* given = std::getenv("CXX");
  const std::string compiler = given != nullptr && *given != '\0' ? given : "g++";
  const std::chrono::seconds limit = std::min(time_limit(), std::chrono::seconds(60));
  const Ending ending = run_program({compiler, "--version"}, folder, output, limit);
  if (ending.was_late)
    throw ExportError(
        fmt::format("-tune: '{} --version' failed: it was ended after {} s", compiler, limit.count()), {},
        "CXX names the compiler");
  return {version, fmt::format("{}, {} threads", processor(), threads()),
          ending.status == 0 ? first_line(text_of(output)) : first_line(compiler)};
}

bool runs_here(Machine machine) {
#if defined(__x86_64__)
  return machine == Machine::Generic || machine == Machine::X86;
#elif defined(__aarch64__)
  return machine == Machine::Generic || machine == Machine::Arm64;
#else
  return machine == Machine::Generic;
#endif
}

std::map<std::string, double> medians(std::string_view report) {
  std::map<std::string, double> out;
  for (const std::string& line : split(report, '\n')) {
    const size_t name = line.find(": min "), median = line.find(" us, median ");
    if (name == std::string::npos || median == std::string::npos) continue;
    const size_t begin = median + std::string_view(" us, median ").size();
    if (const auto value = parse_real(line.substr(begin, line.find(' ', begin) - begin)))
      out[line.substr(0, name)] = *value;
  }
  return out;
}

std::map<std::string, TimeRange> times_of_cells(const Project& project) {
  const ScratchFolder folder;
  const fs::path tree = folder.path() / "project";
  project.write(tree, untested(project.program()));
  const std::string jobs = std::to_string(std::max(1U, std::thread::hardware_concurrency()));
  output_of({"make", "-s", "-j", jobs, "-C", tree.string()}, folder, "'make' of a project");
  const auto run = [&](int repetitions) {
    return medians(output_of({(tree / "bin" / "run_export").string(), "-time", std::to_string(repetitions),
                              "-results", (folder.path() / "results.json").string()},
                             folder, "a project"));
  };
  const double total = std::max(1.0, run(kFewest)["total"]);
  const int repetitions =
      static_cast<int>(std::clamp(kMicrosecondsOfRun / total, 1.0 * kFewest, 1.0 * kMost));
  std::map<std::string, TimeRange> out;
  for (int i = 0; i < kRuns; ++i)
    for (const auto& [cell, median] : run(repetitions)) {
      const double time = rounded(median);
      const auto [range, fresh] = out.try_emplace(cell, TimeRange{time, time});
      range->second = {std::min(range->second.least, time), std::max(range->second.most, time)};
    }
  return out;
}

}  // namespace n2d2::targets::cpp
