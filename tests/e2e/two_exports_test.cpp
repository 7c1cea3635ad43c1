// Do two exports meet in one file and in one program?
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "drawn.hpp"
#include "e2e/exported.hpp"
#include "e2e/networks.hpp"
#include "golden/fixed_network.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

/// Integers in namespace First, floats in namespace Second; both have layers named conv1, pool1, fc1.
class TwoExports : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const log::Capture quiet;
    targets::cpp::Parameters parameters;
    parameters.namespace_name = "First";
    const targets::cpp::Project first = golden::fixed_project(parameters);
    write(first, golden::judged_samples(first, golden::fixed_stimuli(first)), "first");
    Settings settings;
    settings.bits = -32;
    settings.parameters.namespace_name = "Second";
    const Exported second = run_pipeline(ini_of(kLenet), settings);
    write(*second.project, samples_of(second), "second");
  }

  /// Writes a project and what the program prints of its stimuli.
  void write(const targets::cpp::Project& project, const exporter::Samples& samples,
             const std::string& name) {
    const std::vector<exporter::Stimulus>& stimuli = samples.stimuli;
    project.write(folder_.path() / name, samples, {});
    for (size_t i = 0; i < stimuli.size(); ++i) {
      const Tensor scores = to_float(project.host_run(stimuli[i].input).front());
      const auto* first = scores.data<float>();
      expected_ += fmt::format("env{} {}\n", i, std::max_element(first, first + scores.elements()) - first);
    }
  }

  static Tensor to_float(const Tensor& scores) {
    if (scores.dtype() == DataType::F32) return scores;
    Tensor out(scores.shape());
    for (int64_t i = 0; i < scores.elements(); ++i) out.data<float>()[i] = scores.data<int8_t>()[i];
    return out;
  }

  /// A program that includes every header of both, also after each other, and prints the classes of all
  /// stimuli.
  void write_program(const std::string& includes) {
    const CommandResult headers = run_command(folder_.path(),
                                              "find first second -name '*.h*' ! -name '*_avx*' ! -name "
                                              "'*_sse*' ! -name '*_neon*' ! -name '*_dotprod*' "
                                              "! -name '*_i8mm*' ! -name '*_dsp*' ! -name '*_mve*' ! -name "
                                              "'*_nofpu*' | sed 's/.*/#include \"&\"/'; " +
                                                  includes);
    std::ofstream(folder_.path() / "program.cpp") << headers.output << R"(
#include <cstdio>
#define RUN(Export, folder)                                                          \
  for (const std::string& path : Export::list_stimuli(folder "/stimuli")) {          \
    const Export::Stimulus stimulus = Export::read_stimulus(path);                   \
    Export::Target_T classes[Export::OUTPUTS_TOTAL];                                 \
    Export::propagate(stimulus.data.data(), classes, Export::Watchers());            \
    std::printf("%s", Export::stimulus_name(path).c_str());                          \
    for (int found : classes) std::printf(" %d", found);                             \
    std::printf("\n");                                                               \
  }
int main() {
  static_assert(First::cells::CONV1_MEM_CONT_SIZE != Second::cells::CONV1_MEM_CONT_SIZE, "two plans");
  static_assert(First::NB_BITS == 8 && Second::NB_BITS == -32, "two precisions");
  RUN(First, "first")
  RUN(Second, "second")
}
)";
  }

  void expect_runs(const std::string& sources) {
    const CommandResult build =
        run_command(folder_.path(), std::string(GetParam()) +
                                        " -std=c++11 -O0 -Wall -Wextra -pedantic -Werror program.cpp " +
                                        sources + " -o program");
    ASSERT_EQ(build.status, 0) << build.output;
    EXPECT_EQ(run_command(folder_.path(), "./program").output, expected_);
  }

  TemporaryFolder folder_;
  std::string expected_;
};

/// In a run, one of the compilers compiles one program of many files and the other one a single file.
TEST_P(TwoExports, MeetInOneProgram) {
  if (!is_in_turn(GetParam() == std::string("g++") ? 0 : 1, 2)) GTEST_SKIP() << "not drawn";
  write_program("true");
  expect_runs("$(find first second -name '*.cpp' ! -name main.cpp)");
}

TEST_P(TwoExports, MeetInOneFileWithAllTheirSources) {
  if (!is_in_turn(GetParam() == std::string("g++") ? 1 : 0, 2)) GTEST_SKIP() << "not drawn";
  write_program("find first second -name '*.cpp' ! -name main.cpp | sed 's/.*/#include \"&\"/'");
  expect_runs("");
}

/// What a macro says, it says in every file behind it.
TEST(OneExport, DefinesOnlyMacrosThatAllExportsShare) {
  const TemporaryFolder folder;
  const targets::cpp::Project project = golden::fixed_project();
  project.write(folder.path(), golden::judged_samples(project), {});
  const CommandResult defined = run_command(
      folder.path(),
      "grep -rhE '^# *define' --include='*.[ch]*' dnn include src | sed 's/^# *define *//' | grep -v ^N2D2_");
  EXPECT_EQ(defined.output, "");
}

INSTANTIATE_TEST_SUITE_P(Compilers, TwoExports, testing::Values("g++", "clang++-14"),
                         [](const auto& info) { return info.param[0] == 'g' ? "gcc" : "clang"; });

}  // namespace
}  // namespace n2d2::e2e
