// Does an export whose input comes row by row compute what the default one computes, byte for byte, with less
// memory? stream_check.cpp and stream_check.c call it in all ways.
#include <set>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/validate.hpp"

#include "delegates/with_parts.hpp"
#include "drawn.hpp"
#include "e2e/compiled_sources.hpp"
#include "e2e/networks.hpp"
#include "e2e/output_networks.hpp"
#include "e2e/special_networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGcc = "CXX=g++ CC=gcc FLAGS='-O1'";
constexpr const char* kChecked = "CXX=g++ CC=gcc FLAGS='-O1 -DCHECK_MEMORY=1'";
constexpr const char* kCheckedByClang = "CXX=clang++-14 CC=clang-14 FLAGS='-O0 -DCHECK_MEMORY=2'";
constexpr const char* kSanitized = "CXX=clang++-14 CC=clang-14 FLAGS='" N2D2_SANITIZED_BY_CLANG "'";

struct Case {
  const char* name;
  NamedIni net;
  const char* build;
  std::function<void(Settings&)> settings = [](Settings&) {};
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class StreamInput : public testing::TestWithParam<Case> {};

TEST_P(StreamInput, GivesTheBytesOfTheDefaultExport) {
  const Case& c = GetParam();
  const log::Capture quiet;
  Settings settings;
  settings.stimuli = 2;
  const auto whole = [&] {
    Settings of_default = settings;
    c.settings(of_default);
    of_default.parameters.memory_budget = {};
    return run_pipeline(ini_of(c.net), of_default);
  }();
  settings.parameters.stream_input = true;
  settings.parameters.check_memory = true;
  c.settings(settings);
  const Exported rows = run_pipeline(ini_of(c.net), settings);
  const program::Program& program = rows.project->program();
  EXPECT_EQ(program.map_of(program.input()).region, 0);
  EXPECT_LT(program.map_of(program.input()).ring, program.map_of(program.input()).h);
  const bool adds_up = std::any_of(program.calls.begin(), program.calls.end(),
                                   [](const program::Call& call) { return call.contract.accumulates; });
  EXPECT_EQ(adds_up, std::string_view(c.name).starts_with("Mean"));
  const memory::Bytes budget = settings.parameters.memory_budget.bytes;
  EXPECT_LE(rows.project->memory().peak, budget > 0 ? budget : whole.project->memory().peak);
  const bool has_loop_nest = std::any_of(program.calls.begin(), program.calls.end(),
                                         [](const program::Call& call) { return call.is_loop_nest(); });
  EXPECT_EQ(has_loop_nest, std::string_view(c.name).starts_with("Bottlenecks"));
  for (const exporter::Stimulus& stimulus : rows.stimuli) {
    auto found = outputs_by_cell(*rows.project, stimulus.input),
         expected = outputs_by_cell(*whole.project, stimulus.input);
    if (has_loop_nest) std::erase_if(expected, [&](const auto& cell) { return !found.contains(cell.first); });
    EXPECT_EQ(found, expected);
  }
  const TemporaryFolder folder;
  const fs::path project = folder.path() / "export";
  rows.project->write(project, samples_of(rows), {});
  const auto [problem, plan] =
      memory::plan_file_from_csv(text_of(project / "statistics/memory/memory_plan.csv"), "memory_plan.csv");
  EXPECT_TRUE(memory::validate(problem, plan).empty());
  static const std::set<std::string> core{"Lenet", "LenetWithin", "Residual", "Mean", "Bottlenecks"};
  if (!core.contains(c.name) && !is_drawn(std::string("stream input ") + c.name, 4)) return;  // not compiled
  for (const char* file : {"stream_check.cpp", "stream_check.c"})
    fs::copy_file(fs::path(N2D2_SOURCE_DIR) / "tests/e2e" / file, project / file);
  const CommandResult run = in_bash(
      project, c.build,
      "both=$(compile \"$(words 'sort $(SOURCES) $(INSTANCE_SOURCES)') src/Network.cpp src/softmax.cpp "
      "src/network_c.cpp\")\n"
      "link \"$both $(compile stream_check.cpp)\" check\n./check\n"
      "link \"$both $(compile stream_check.c)\" check_c\n./check_c\n");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "all equal\nall equal\n");
}

using Budget = targets::cpp::MemoryBudget;

std::vector<Case> stream_cases() {
  return {
      {"Lenet", kLenet, kSanitized},
      {"LenetWithin", kLenet, kGcc,
       [](Settings& s) {
         s.parameters.memory_budget = {Budget::Kind::Bytes, 1200};
       }},
      {"Residual", kResidual, kChecked},
      {"ResidualFloats", kResidual, kGcc, [](Settings& s) { s.bits = -32; }},
      {"BranchesAligned", kBranches, kCheckedByClang, [](Settings& s) { s.parameters.memory_alignment = 4; }},
      {"Depthwise16Bits", kDepthwise, kChecked, [](Settings& s) { s.bits = 16; }},
      {"DepthwiseForSize", kDepthwise, kGcc,
       [](Settings& s) { s.parameters.optimize = targets::cpp::Optimize::Size; }},
      {"LastMap", kLastMap, kSanitized},
      {"Mean", kMean, kSanitized},
      {"MeanFixedPoint", kMean, kChecked,
       [](Settings& s) {
         s.rescaling = RescaleMode::FixedPoint32;
         s.parameters.optimize = targets::cpp::Optimize::Size;
       }},
      {"MeanScores", kMeanScores, kSanitized},
      {"Bottlenecks", kBottlenecks, kSanitized,
       [](Settings& s) {
         s.parameters.memory_budget = {Budget::Kind::Least, 0};
       }},
      {"BottlenecksFixedPoint", kBottlenecks, kChecked,
       [](Settings& s) {
         s.rescaling = RescaleMode::FixedPoint32;
         s.parameters.memory_budget = {Budget::Kind::Least, 0};
         s.parameters.optimize = targets::cpp::Optimize::Size;
       }},
      {"BottlenecksWithin", kBottlenecks, kGcc,
       [](Settings& s) {
         s.parameters.memory_budget = {Budget::Kind::Bytes, 2300};
       }},
      {"Signal", kSignal, kSanitized},
      {"LenetWithAPart", kLenet, kChecked,
       [](Settings& s) { s.parameters.delegates.push_back(delegates::loopback("fc1", "1")); }},
  };
}

INSTANTIATE_TEST_SUITE_P(Each, StreamInput, testing::ValuesIn(stream_cases()),
                         [](const auto& info) { return info.param.name; });

/// The bytes that the linker counts are those that the export says.
TEST(StreamInputProgram, HasTheArenaThatIsPrinted) {
  const log::Capture quiet;
  Settings settings;
  settings.stimuli = 1;
  settings.parameters.stream_input = true;
  const Exported rows = run_pipeline(ini_of(kLenet), settings);
  const TemporaryFolder folder;
  rows.project->write(folder.path() / "export", samples_of(rows), {});
  const CommandResult run = in_bash(
      folder.path() / "export", kGcc,
      "compile \"$(words SOURCES) src/Network.cpp\" >/dev/null\nsize -A objects/dnn_src_forward.cpp.o | "
      "awk '$1 == \".nn_memory\" { print $2 }'\n");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, fmt::format("{}\n", rows.project->memory().peak));
}

}  // namespace
}  // namespace n2d2::e2e
