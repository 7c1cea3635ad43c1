// Networks exported with every form of their kernels, compiled for several instruction sets, compared byte
// for byte with the host run; what `-time` says ran.

#include <algorithm>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "drawn.hpp"
#include "e2e/exported.hpp"
#include "e2e/special_networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

Settings with_form(const std::string& form) {
  Settings settings;
  settings.parameters.reference_stimuli = 100;
  if (form.empty()) return settings;
  targets::cpp::LayerSection section{"default", {}, {}};
  section.values.kernel.name = form;
  settings.parameters.layers.push_back(section);
  return settings;
}

/// What every layer computes, and the classes, with this form.
std::map<std::string, Tensor> layers_of(const Exported& net) {
  return outputs_by_cell(*net.project, net.stimuli.at(0).input);
}

/// The line of a cell in the report of -time.
std::string time_of(const std::string& report, const std::string& cell) {
  const size_t at = report.find(cell + ": min ");
  return at == std::string::npos ? "" : report.substr(at, report.find('\n', at) - at);
}

void build_and_compare(const fs::path& project, const std::string& make) {
  const CommandResult built = run_command(project, "make -s clean && make -s -j2 CXX=g++ " + make);
  ASSERT_EQ(built.status, 0) << built.output;
  const CommandResult run = run_command(project, "./bin/run_export -compare reference");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("values, 0 different"), std::string::npos) << run.output;
}

const std::vector<std::string> kFormNames{"matrix", "packed", "dot", "rows", "pixels"};

/// Each form is compiled for one of three instruction sets, in turn: each run has all forms and all sets.
class ForcedForms : public testing::TestWithParam<std::string> {};

TEST_P(ForcedForms, GiveTheSameBytesForEveryInstructionSet) {
  const log::Capture quiet;
  const std::string form = GetParam();
  const Exported own = run_pipeline(ini_of(kForms), with_form(""));
  const auto expected = layers_of(own);
  const Exported net = run_pipeline(ini_of(kForms), with_form(form));
  for (const auto& [cell, tensor] : layers_of(net)) EXPECT_TRUE(tensor == expected.at(cell)) << cell;
  const TemporaryFolder folder;
  const fs::path project = folder.path() / "export_CPP_int8";
  net.project->write(project, samples_of(net), {});
  EXPECT_NE(text_of(project / "statistics/kernels.csv").find(form + ",asked for by [default]\n"),
            std::string::npos)
      << text_of(project / "statistics/kernels.csv");
  const auto number =
      static_cast<uint64_t>(std::find(kFormNames.begin(), kFormNames.end(), form) - kFormNames.begin());
  if (is_in_turn(number, 3)) build_and_compare(project, "CXXFLAGS='-O1 -Werror'");
  if (is_in_turn(number + 1, 3)) {
    build_and_compare(project, "CXXFLAGS='-O1 -Werror' ISA=portable OPENMP=0");
    const CommandResult portable = run_command(project, "./bin/run_export -time 1");
    EXPECT_NE(time_of(portable.output, "stem").find("; conv2d (dot_"), std::string::npos) << portable.output;
    EXPECT_EQ(portable.output.find("packed_"), std::string::npos) << portable.output;
    EXPECT_NE(time_of(portable.output, "pool").find("; max_pool"), std::string::npos) << portable.output;
  }
#if defined(__x86_64__)
  if (is_in_turn(number + 2, 3)) build_and_compare(project, "CXXFLAGS='-O1 -Werror' DISPATCH=avx2");
#endif
}

INSTANTIATE_TEST_SUITE_P(Each, ForcedForms, testing::ValuesIn(kFormNames),
                         [](const auto& info) { return info.param; });

#if defined(__x86_64__)
/// The names that `-time` prints are those of the code that runs: avx2 is asked for by name, so the machine
/// must have it.
TEST(TimeOfForms, SaysWhichFormRanOfEachInstructionSet) {
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "this processor has no AVX2";
  const log::Capture quiet;
  const auto report = [](const std::string& form, const std::string& run) {
    const TemporaryFolder folder;
    const Exported net = run_pipeline(ini_of(kForms), with_form(form));
    net.project->write(folder.path() / "p", samples_of(net), {});
    const CommandResult built =
        run_command(folder.path() / "p", "make -s -j2 CXX=g++ CXXFLAGS=-O1 DISPATCH=avx2");
    EXPECT_EQ(built.status, 0) << built.output;
    std::string text = run_command(folder.path() / "p", "./bin/run_export -time 1 " + run).output;
    return text + text_of(folder.path() / "p/results.json");
  };
  const std::string own = report("", "-isa avx2");
  EXPECT_NE(time_of(own, "stem").find("; conv2d (packed_avx2)"), std::string::npos) << own;
  EXPECT_NE(time_of(own, "deep").find("; conv2d_depthwise (depthwise_avx2)"), std::string::npos) << own;
  EXPECT_NE(time_of(own, "sum").find("; sum"), std::string::npos) << own;
  EXPECT_NE(time_of(own, "fc").find("; fc (packed_avx2)"), std::string::npos) << own;
  EXPECT_NE(own.find("\"kernels\": \"conv2d (packed_avx2)\""), std::string::npos) << own;
  if (is_in_turn(0, 3)) {
    const std::string dot = report("dot", "-isa avx2");
    for (const char* line : {"stem", "deep", "whole"})
      EXPECT_NE(time_of(dot, line).find("; conv2d (dot_avx2)"), std::string::npos) << dot;
    EXPECT_NE(time_of(dot, "fc").find("; fc (dot_avx2)"), std::string::npos) << dot;
  }
  if (is_in_turn(1, 3)) {
    const std::string pixels = report("pixels", "-isa avx2");
    EXPECT_NE(time_of(pixels, "deep").find("; conv2d_depthwise (depthwise_vector)"), std::string::npos)
        << pixels;
  }
  if (is_in_turn(2, 3)) {
    const std::string sse2 = report("packed", "-isa sse2");
    EXPECT_NE(time_of(sse2, "stem").find("; conv2d (dot_sse2)"), std::string::npos) << sse2;
  }
}
#endif

}  // namespace
}  // namespace n2d2::e2e
