// Does an export run in memory of the caller's as it does in its own, and does it leave its own out then?
// instance_check.cpp and instance_check.c do the comparing.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "delegates/with_parts.hpp"
#include "drawn.hpp"
#include "e2e/compiled_sources.hpp"
#include "e2e/exported.hpp"
#include "e2e/networks.hpp"
#include "e2e/output_networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGcc = "CXX=g++ CC=gcc FLAGS='-O2 -fopenmp'";
constexpr const char* kClang = "CXX=clang++-14 CC=clang-14 FLAGS='-O0 -DCHECK_MEMORY=1'";
constexpr const char* kChecked = "CXX=g++ CC=gcc FLAGS='-O1 -DCHECK_MEMORY=2'";
constexpr const char* kSanitized = "CXX=clang++-14 CC=clang-14 FLAGS='" N2D2_SANITIZED_BY_CLANG "'";

fs::path exported(const TemporaryFolder& folder, const NamedIni& net, const Settings& settings) {
  const log::Capture quiet;
  const Exported all = run_pipeline(ini_of(net), settings);
  const fs::path project = folder.path() / "export";
  all.project->write(project, samples_of(all), {});
  for (const char* file : {"instance_check.cpp", "instance_check.c"})
    fs::copy_file(fs::path(N2D2_SOURCE_DIR) / "tests/e2e" / file, project / file);
  return project;
}

struct Case {
  const char* name;
  NamedIni net;
  const char* build;
  int bits = 8;
  const char* loopback = nullptr;  ///< its layers
  bool is_of_xnnpack = false;
  bool has_two_memories = false;
  uint64_t turn = 0;  ///< 0: in each run; else those of one turn of three
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class Instances : public testing::TestWithParam<Case> {};

TEST_P(Instances, GiveTheBytesOfTheStaticNetwork) {
  const Case& c = GetParam();
  Settings settings;
  settings.bits = c.bits;
  settings.stimuli = 1;
  std::string defines = c.bits > 0 ? "-DSELF_TEST" : "";
  if (c.loopback != nullptr) settings.parameters.delegates.push_back(delegates::loopback(c.loopback, "1"));
  if (c.is_of_xnnpack) settings.parameters.delegates.push_back(delegates::xnnpack(""));
  if (!settings.parameters.delegates.empty()) defines += " -DPARTS";
  if (c.has_two_memories) {
    settings.parameters.memories = {{.name = "fast", .size = 700, .section = ".fast"}, {.name = "slow"}};
    settings.parameters.layers = {{"", {}, {{}, {"fast", "slow"}}}};
    defines += " -DTWO_MEMORIES";
  }
  if (c.turn > 0 && !is_in_turn(c.turn, 3)) GTEST_SKIP() << "not drawn";
  const TemporaryFolder folder;
  const fs::path project = exported(folder, c.net, settings);
  const CommandResult run = in_bash(
      project, std::string(c.build) + " DEFINES='" + defines + "'",
      "both=$(compile \"$(words 'sort $(SOURCES) $(INSTANCE_SOURCES)') src/Network.cpp src/softmax.cpp "
      "src/network_c.cpp\")\n"
      "link \"$both $(compile instance_check.cpp)\" check\n./check\n" +
          std::string(
              c.has_two_memories ? "" : "link \"$both $(compile instance_check.c)\" check_c\n./check_c\n"));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, c.has_two_memories ? "all equal\n" : "all equal\nall equal\n");
}

INSTANTIATE_TEST_SUITE_P(
    Each, Instances,
    testing::Values(Case{"Lenet", kLenet, kSanitized},
                    Case{"LenetChecked", kLenet, kClang, 8, nullptr, false, false, 1},
                    Case{"Residual16Bits", kResidual, kChecked, 16},
                    Case{"ResidualFloats", kResidual, kGcc, -32},
                    Case{"Gates", kGates, kGcc, 8, nullptr, false, false, 2},
                    Case{"LastMap", kLastMap, kSanitized, 8, nullptr, false, false, 3},
                    Case{"LenetTwoParts", kLenet, kGcc, 8, "conv1 fc1"},
                    Case{"LenetPartsChecked", kLenet, kClang, 8, "pool1 fc1", false, false, 2},
                    Case{"DepthwiseXnnpack", kDepthwise, kSanitized, 8, nullptr, true, false, 1},
                    Case{"TwoMemories", kBranches, kChecked, 8, nullptr, false, true}),
    [](const auto& info) { return info.param.name; });

/// What a linker makes of a program in C++ or C that has instances only: bytes of RAM that are not the
/// caller's, and the text of its section headers.
struct Linked {
  int64_t ram = 0;
  std::string sections;
};

class InstancesOnly : public testing::Test {
 protected:
  void SetUp() override {
    project_ = exported(folder_, kBranches, {});
    std::ofstream(project_ / "only.cpp")
        << "#include <stdlib.h>\n#include \"include/Instance.hpp\"\nusing namespace N2D2_Export;\n"
           "int main() {\n  static Input_T input[ENV_OUTPUTS_SIZE];\n  Target_T classes[OUTPUTS_TOTAL];\n"
           "  return Instance(aligned_alloc(16, MEMORY_SIZE / 16 * 16 + 16), MEMORY_SIZE).propagate(input, "
           "classes);\n}\n";
    std::ofstream(project_ / "only.c")
        << "#include <stdlib.h>\n#include \"include/network.h\"\nint main(void) {\n"
           "  static N2D2_Export_input_t input[N2D2_EXPORT_INPUT_ELEMENTS];\n  int32_t "
           "classes[N2D2_EXPORT_CLASSES];\n"
           "  N2D2_Export_instance_t net;\n"
           "  return N2D2_Export_instance_init(&net, calloc(1, N2D2_EXPORT_MEMORY_SIZE), "
           "N2D2_EXPORT_MEMORY_SIZE) ||\n"
           "         N2D2_Export_instance_propagate(&net, input, classes);\n}\n";
    std::ofstream(project_ / "static.cpp")
        << "#include \"include/Network.hpp\"\nusing namespace N2D2_Export;\n"
           "int main() {\n  static Input_T input[ENV_OUTPUTS_SIZE];\n  Target_T classes[OUTPUTS_TOTAL];\n"
           "  return Network().propagate(input, classes);\n}\n";
    const CommandResult objects =
        in_bash(project_, kSettings,
                "compile \"$(words INSTANCE_SOURCES) src/Network.cpp src/softmax.cpp\" > instance_objects\n"
                "compile \"dnn/src/forward.cpp src/network_c.cpp\" > static_objects\n"
                "ar rc network.a $(cat instance_objects static_objects)\n");
    ASSERT_EQ(objects.status, 0) << objects.output;
  }

  Linked linked(const std::string& objects, const std::string& main, const std::string& options = "") {
    const CommandResult run =
        in_bash(project_, kSettings + (" LINK='" + options + "'"),
                "link \"$(compile " + main + ") " + objects +
                    "\" program\n./program\nsize -A program | awk '$1 == \".data\" || $1 == "
                    "\".bss\" || $1 == \".nn_memory\" { n += $2 } END { print n }'\n"
                    "readelf -SW program\n");
    EXPECT_EQ(run.status, 0) << run.output;
    return {std::atoll(run.output.c_str()), run.output};
  }
  bool has_arena(const Linked& program) { return program.sections.find(".nn_memory") != std::string::npos; }

  static constexpr const char* kSettings =
      "CXX=g++ CC=gcc FLAGS='-O1 -ffunction-sections -fdata-sections' DEFINES=";
  TemporaryFolder folder_;
  fs::path project_;
};

TEST_F(InstancesOnly, HaveNoArenaOfTheirOwn) {
  const Linked with = linked("$(cat static_objects instance_objects)", "static.cpp");
  ASSERT_TRUE(has_arena(with)) << with.sections;
  for (const char* main : {"only.cpp", "only.c"}) {
    const Linked of_sources = linked("$(cat instance_objects)", main);
    EXPECT_FALSE(has_arena(of_sources)) << main;
    EXPECT_FALSE(has_arena(linked("network.a", main))) << main;
    EXPECT_FALSE(has_arena(linked("$(cat static_objects instance_objects)", main, "-Wl,--gc-sections")))
        << main;
    // The input and what the C library has are the same in both.
    const std::string text = [&] {
      std::ifstream in(project_ / "dnn/include/mem_info.hpp");
      return std::string(std::istreambuf_iterator<char>(in), {});
    }();
    const int64_t arena = std::atoll(text.c_str() + text.find("MEMORY_SIZE = ") + 14);
    ASSERT_GT(arena, 1000);
    EXPECT_LT(std::abs(with.ram - arena - of_sources.ram), 32)
        << main << ": " << with.ram << ", " << of_sources.ram;
  }
}

/// ... and a program with the static form alone has nothing of instances, from the sources it is told to
/// compile.
TEST_F(InstancesOnly, LeaveTheStaticFormAlone) {
  const CommandResult run =
      in_bash(project_, kSettings,
              "compile \"$(words SOURCES) src/Network.cpp src/softmax.cpp src/network_c.cpp "
              "static.cpp\" > objects_of_static\nlink \"$(cat objects_of_static)\" program\n"
              "./program\nnm -C program\n");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("N2D2_Export::Network::propagate"), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("Instance"), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("_instance_"), std::string::npos) << run.output;
}

TEST_F(InstancesOnly, RunWithoutCallbacksAndSelfTest) {
  const CommandResult run = in_bash(project_, "CXX=g++ CC=gcc FLAGS='-O1 -DN2D2_NO_CALLBACKS' DEFINES=",
                                    "link \"$(compile \"only.c $(words INSTANCE_SOURCES) src/Network.cpp "
                                    "src/softmax.cpp\")\" program\n./program\n");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "");
}

}  // namespace
}  // namespace n2d2::e2e
