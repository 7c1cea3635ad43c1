// Do the exports of small networks give the host run's bytes whatever the plan, the direction of scan, the
// instruction set and the number of threads?
//
//   every_way [--list] [--part K/N] [NAME ...]
//
// Exports each network of the tests in each width with each kind of plan, compiles it as one program of all
// instruction sets that this processor has (DISPATCH), as portable code and as that for AMX, lets threads
// share every layer, and compares every layer of every stimulus with its dump from the host run, with each
// instruction set on one to four threads. NAME: of the exports as --list prints them, all of them where none
// is given; --part: every Nth of them from the Kth, 0 the first.
// A plan that the export refuses for a network is said with the reason. Exit 1 if a byte differs or nothing
// ran, 2 for wrong usage.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/memory/plan_csv.hpp"

#include "e2e/exported.hpp"
#include "e2e/instruction_sets.hpp"
#include "e2e/networks.hpp"
#include "e2e/output_networks.hpp"
#include "e2e/special_networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

constexpr int kMostThreads = 4;

struct Width {
  const char* name;
  int bits;
  RescaleMode rescaling;
  bool every_plan;  ///< else those that differ most
};

constexpr Width kWidths[] = {{"int8", 8, RescaleMode::FloatingPoint, true},
                             {"int8_fixed", 8, RescaleMode::FixedPoint32, false},
                             {"int16", 16, RescaleMode::FloatingPoint, false},
                             {"float32", -32, RescaleMode::FloatingPoint, false}};

struct Plan {
  const char* name;
  void (*set)(targets::cpp::Parameters&);
  bool every_width;
  bool upwards = false;  ///< every layer from its last row to its first
};

constexpr targets::cpp::MemoryBudget kLeast{targets::cpp::MemoryBudget::Kind::Least, 0};

constexpr Plan kPlans[] = {
    {"default", [](auto&) {}, true},
    {"apart", [](auto& p) { p.optimize_buffer_memory = false; }, false},
    {"upwards", [](auto& p) { p.optimize_buffer_memory = false; }, true, true},
    {"least", [](auto& p) { p.memory_budget = kLeast; }, true},
    {"rows", [](auto& p) { p.stream_input = true; }, false},
    {"least_rows", [](auto& p) { p.stream_input = true, p.memory_budget = kLeast; }, false},
    {"aligned", [](auto& p) { p.memory_alignment = 4; }, false},
    {"size", [](auto& p) { p.optimize = targets::cpp::Optimize::Size, p.memory_budget = kLeast; }, false},
};

std::vector<NamedIni> all_networks() {
  std::vector<NamedIni> all = networks();
  all.insert(all.end(), {kDeadChannels, kRepeated, kLastPool, kLastMax, kLastMap, kLastSum, kSegments,
                         kSegmentsMoved, kSegmentsBetween, kSegmentsOfMaxima, kForms, kDense, kSignal, kMean,
                         kMeanScores, kBottlenecks, kWide});
  return all;
}

struct Export {
  std::string name;
  NamedIni net;
  const Width* width;
  const Plan* plan;
};

std::vector<Export> all_exports() {
  std::vector<Export> out;
  for (const NamedIni& net : all_networks())
    for (const Width& width : kWidths)
      for (const Plan& plan : kPlans)
        if (width.every_plan || plan.every_width)
          out.push_back({fmt::format("{}.{}.{}", net.name, width.name, plan.name), net, &width, &plan});
  return out;
}

/// Whether what stands there is of a step of a loop nest: its threads and scan are those of the loops.
bool is_step(const std::string& text, size_t at) {
  const size_t owner = text.rfind("struct ", at);
  return owner != std::string::npos &&
         std::string_view(text).substr(owner, text.find('{', owner) - owner).find("_config_step") !=
             std::string::npos;
}

/// Sets a field of the layers' configs, 0 there, to 1.
void set_field(const fs::path& project, const std::string& field) {
  const std::string zero = "int " + field + " = 0;";
  int found = 0;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(project / "dnn")) {
    if (!file.is_regular_file()) continue;
    std::string text = text_of(file);
    for (size_t at = text.find(zero); at != std::string::npos; at = text.find(zero, at + 1)) {
      if (is_step(text, at)) continue;
      text[at + zero.size() - 2] = '1';
      ++found;
    }
    std::ofstream(file.path(), std::ios::binary) << text;
  }
  if (found == 0) throw std::runtime_error("no layer has a field " + field + " to set");
}

/// Turns every layer of a project whose plan lets each be computed in any direction.
void turn(const fs::path& project) {
  const fs::path csv = project / "statistics/memory/memory_plan.csv";
  const std::vector<memory::Scan> scans =
      memory::plan_file_from_csv(text_of(csv), csv.string()).plan.scan_of_step;
  if (std::any_of(scans.begin(), scans.end(),
                  [](memory::Scan scan) { return scan == memory::Scan::TopDown; }))
    throw std::runtime_error(
        "a plan without shared bytes has a layer that must be computed from its first row on");
  set_field(project, "bottom_up");
}

/// Gives several threads to layers of networks that are too small for them; the program says how many
/// computed.
void spread(const fs::path& project) {
  set_field(project, "parallel");
  fs::copy_file(fs::path(N2D2_SOURCE_DIR) / "tests/e2e/threads_probe.cpp", project / "src/threads_probe.cpp");
  std::string makefile = text_of(project / "Makefile");
  const std::string driver = "DRIVER := main.cpp";
  makefile.replace(makefile.find(driver), driver.size(), driver + " src/threads_probe.cpp");
  std::ofstream(project / "Makefile", std::ios::binary) << makefile;
}

/// The instruction sets that a program of DISPATCH holds and this processor has.
std::vector<std::string> dispatched() {
  std::vector<std::string> out{"sse2"};
  for (const auto& [isa, runs] : instruction_sets())
    if (runs) out.push_back(isa);
  return out;
}

class Comparison {
 public:
  explicit Comparison(fs::path project) : project_(std::move(project)) {}

  int runs() const { return runs_; }
  /// In all runs where so many were allowed.
  bool used_all_threads() const { return used_all_threads_; }
  const std::string& problems() const { return problems_; }

  void build(const std::string& variables) {
    const CommandResult make = run_command(
        project_, "make -s clean && make -s CXX=g++ CXXFLAGS='-O1 -Werror -DN2D2_THREADS_ALWAYS' " +
                      variables + " build");
    if (make.status != 0) problems_ += fmt::format("  make {}: {}\n", variables, make.output);
  }
  void run(const std::string& what, const std::string& options) {
    if (!problems_.empty()) return;
    for (int threads = 1; threads <= kMostThreads; ++threads) {
      const CommandResult run =
          run_command(project_, fmt::format("OMP_NUM_THREADS={} OMP_DYNAMIC=false OMP_WAIT_POLICY=passive "
                                            "bin/run_export -compare reference{}",
                                            threads, options));
      ++runs_;
      if (run.status != 0 || run.output.find("values, 0 different") == std::string::npos)
        problems_ += fmt::format("  {}, {} threads: exit {}\n{}\n", what, threads, run.status, run.output);
      if (run.output.find(fmt::format("threads that computed: {}\n", threads)) == std::string::npos)
        used_all_threads_ = false;
    }
  }

 private:
  fs::path project_;
  int runs_ = 0;
  bool used_all_threads_ = true;
  std::string problems_;
};

Comparison compared(const Export& e, const fs::path& project) {
  Settings settings;
  settings.bits = e.width->bits;
  settings.rescaling = e.width->rescaling;
  settings.parameters.reference_stimuli = 100;
  e.plan->set(settings.parameters);
  const Exported exported = run_pipeline(ini_of(e.net), settings);
  exported.project->write(project, samples_of(exported), {});
  if (e.plan->upwards) turn(project);
  spread(project);

  Comparison out(project);
  const std::vector<std::string> sets = dispatched();
  out.build(fmt::format("DISPATCH='{}'", fmt::join(sets, " ")));
  for (const std::string& isa : sets) out.run(isa, " -isa " + isa);
  out.build("ISA=portable");
  out.run("portable", "");
  if (sets.back() == "avx512vnni") {  // computes with VNNI where there is no AMX
    out.build("ISA=amx");
    out.run("amx", "");
  }
  return out;
}

struct Arguments {
  bool list = false;
  size_t part = 0, parts = 1;
  std::vector<std::string> names;
};

/// Nothing for wrong usage.
std::optional<Arguments> parsed(std::span<char*> words) {
  Arguments out;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--list") {
      out.list = true;
    } else if (word == "--part" && i + 1 < words.size()) {
      const std::string_view text = words[++i];
      const auto [slash, first] = std::from_chars(text.data(), text.data() + text.size(), out.part);
      if (first != std::errc() || slash == text.data() + text.size() || *slash != '/') return std::nullopt;
      const auto [end, second] = std::from_chars(slash + 1, text.data() + text.size(), out.parts);
      if (second != std::errc() || end != text.data() + text.size() || out.part >= out.parts)
        return std::nullopt;
    } else if (word.starts_with("-")) {
      return std::nullopt;
    } else {
      out.names.emplace_back(word);
    }
  }
  return out;
}

std::vector<Export> chosen(const Arguments& arguments) {
  const std::vector<Export> all = all_exports();
  std::vector<Export> out;
  for (const std::string& name : arguments.names)
    if (std::none_of(all.begin(), all.end(), [&](const Export& e) { return e.name == name; }))
      throw std::invalid_argument(fmt::format("no export is called '{}' (--list prints them)", name));
  for (size_t i = 0; i < all.size(); ++i)
    if (arguments.names.empty() ? i % arguments.parts == arguments.part
                                : std::count(arguments.names.begin(), arguments.names.end(), all[i].name) > 0)
      out.push_back(all[i]);
  return out;
}

int every_way(const std::vector<Export>& exports) {
  int equal = 0, refused = 0, different = 0, runs = 0, threaded = 0;
  for (const Export& e : exports) {
    const log::Capture quiet;
    const TemporaryFolder folder;
    try {
      const Comparison found = compared(e, folder.path() / "export");
      runs += found.runs();
      ++(found.problems().empty() ? equal : different);
      if (found.problems().empty() && found.used_all_threads()) ++threaded;
      fmt::print("{}: {}\n{}", e.name,
                 !found.problems().empty()
                     ? "DIFFERENT"
                     : fmt::format("{} runs equal{}", found.runs(),
                                   found.used_all_threads() ? "" : ", not all on all threads"),
                 found.problems());
    } catch (const ExportError& error) {
      ++refused;
      fmt::print("{}: refused: {}\n", e.name, error.what());
    } catch (const std::exception& error) {
      ++different;
      fmt::print("{}: FAILED: {}\n", e.name, error.what());
    }
    std::fflush(stdout);
  }
  fmt::print("{} exports in {} runs: {} equal ({} of them on all threads), {} different, {} refused\n",
             exports.size(), runs, equal, threaded, different, refused);
  return different == 0 && runs > 0 ? 0 : 1;
}

}  // namespace
}  // namespace n2d2::e2e

int main(int argc, char** argv) try {
  const auto arguments = n2d2::e2e::parsed({argv + 1, static_cast<size_t>(argc - 1)});
  if (!arguments) {
    fmt::print(stderr, "usage: every_way [--list] [--part K/N] [NAME ...]\n");
    return 2;
  }
  const auto exports = n2d2::e2e::chosen(*arguments);
  if (!arguments->list) return n2d2::e2e::every_way(exports);
  for (const auto& e : exports) fmt::print("{}\n", e.name);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "every_way: {}\n", error.what());
  return 2;
}
