// Whole exports: compiled by several compilers, run, compared byte for byte with the host run.
#include <set>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/validate.hpp"
#include "n2d2/ops/border.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/log_softmax.hpp"

#include "drawn.hpp"
#include "e2e/exported_builds.hpp"
#include "e2e/networks.hpp"
#include "e2e/output_networks.hpp"
#include "e2e/special_networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

/// Each network at -O3 by one of two compilers, in turn; one network without optimization, the compilers in
/// turn; one sanitized; the others as drawn.hpp says.
class ExportedProgram : public testing::TestWithParam<std::tuple<NamedIni, Build>> {
 protected:
  static bool is_taken(const NamedIni& network, const std::string& build) {
    const bool is_clang = build.starts_with("clang");
    const std::string_view name = network.name;
    uint64_t position = 0;
    while (networks().at(position).name != name) ++position;
    if (build.ends_with("_O3")) return is_in_turn(position + (is_clang ? 1 : 0), 2);
    if (name == (build == "gcc_O0" ? kLenet.name : kDepthwise.name))
      return build == kSanitized.name || is_in_turn(is_clang ? 1 : 0, 2);
    return is_drawn(fmt::format("exported {} {}", network.name, build), 16);
  }
};

TEST_P(ExportedProgram, EqualsTheHostRunByteForByte) {
  const auto& [network, with] = GetParam();
  if (!is_taken(network, with.name)) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  const TemporaryFolder folder;
  build_and_compare(write(run_pipeline(ini_of(network), all_references(8)), folder), with);
}

std::string name_of(const testing::TestParamInfo<std::tuple<NamedIni, Build>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Networks, ExportedProgram,
                         testing::Combine(testing::ValuesIn(networks()),
                                          testing::Values(kGccO0, kGccO3, kClangO0, kClangO3, kSanitized)),
                         name_of);

class Widths : public testing::TestWithParam<int> {};

TEST_P(Widths, EveryPrecisionEqualsTheHostRun) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  Settings settings = all_references(GetParam());
  settings.rescaling = RescaleMode::FixedPoint32;
  const fs::path project = write(run_pipeline(ini_of(kResidual), settings), folder);
  const int number = GetParam() == 4 || GetParam() == 16 ? 0 : 1;  // LittleCode has each of the others
  if (is_in_turn(static_cast<uint64_t>(number), 2)) build_and_compare(project, kGccO1);
}

INSTANTIATE_TEST_SUITE_P(Bits, Widths, testing::Values(4, 8, 16, -32), [](const auto& info) {
  return info.param < 0 ? "float32" : fmt::format("int{}", info.param);
});

/// Words beside bytes: a branch of a sum, depthwise layers, what a pool reads. Each run has both networks and
/// both modes.
class MixedWidths : public testing::TestWithParam<std::tuple<NamedIni, RescaleMode>> {};

TEST_P(MixedWidths, EqualTheHostRun) {
  const log::Capture quiet;
  const auto& [net, mode] = GetParam();
  const TemporaryFolder folder;
  Settings settings = all_references(8);
  settings.rescaling = mode;
  for (const char* layer : {"a1", "a2", "proj", "c1", "dw1", "dw2"}) {
    if (std::string(net.text).find(fmt::format("[{}]", layer)) == std::string::npos) continue;
    targets::cpp::LayerSection section{layer, {}, {}};
    section.values.activation_bits = 16;
    settings.parameters.layers.push_back(section);
  }
  const fs::path project = write(run_pipeline(ini_of(net), settings), folder);
  const std::string forward = text_of(project / "dnn/src/forward.cpp");
  EXPECT_NE(forward.find("uint16_t"), std::string::npos);
  EXPECT_NE(forward.find("uint8_t"), std::string::npos);
  const bool is_floating = mode == RescaleMode::FloatingPoint;
  if (is_in_turn((net.name == std::string(kResidual.name)) == is_floating ? 0 : 1, 2))
    build_and_compare(project, is_floating ? kGccO3 : kClangO3);
}

INSTANTIATE_TEST_SUITE_P(Networks, MixedWidths,
                         testing::Combine(testing::Values(kResidual, kDepthwise),
                                          testing::Values(RescaleMode::FloatingPoint,
                                                          RescaleMode::FixedPoint32)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  mode_name(std::get<1>(info.param));
                         });

/// A transposed convolution, and layers that move values between places that lie apart.
constexpr const char* kMoving =
    "[database]\nType=Glyphs_Database\nWidth=16\nHeight=16\nLearn=8\nValidation=0\nTest=4\n"
    "[sp]\nSize=16 16\nBatchSize=4\n"
    "[conv]\nInput=sp\nType=Conv\nKernelSize=3\nPadding=1\nNbOutputs=16\nWeightsFiller=HeFiller\n"
    "[deep]\nInput=conv\nType=Conv\nKernelSize=2\nStride=2\nNbOutputs=32\nWeightsFiller=HeFiller\n"
    "ActivationFunction=Rectifier\n"
    "[up]\nInput=deep\nType=Deconv\nKernelSize=2\nStride=2\nNbOutputs=16\nWeightsFiller=HeFiller\n"
    "ActivationFunction=Rectifier\n"
    "[small]\nInput=up,conv\nType=Conv\nKernelSize=3\nStride=2\nNbOutputs=8\nWeightsFiller=HeFiller\n"
    "[turned]\nInput=small\nType=Transpose\nPerm=2 1 0\nNbOutputs=7\n"
    "[mixed]\nInput=turned\nType=Conv\nKernelSize=1\nNbOutputs=6\nWeightsFiller=HeFiller\n"
    "[regrouped]\nInput=mixed\nType=Reshape\nDims=6 8 7\nNbOutputs=7\n"
    "[last]\nInput=regrouped\nType=Conv\nKernelSize=3\nNbOutputs=4\nWeightsFiller=HeFiller\n"
    "[fc]\nInput=last\nType=Fc\nNbOutputs=10\nWeightsFiller=HeFiller\n[fc.Target]\n";

/// g++ 12 dropped the calls of such layers with -O1 and -O2, with -O3 it did not.
TEST(MovedValues, AreThereWhateverTheCompilerOptimizes) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = write(run_pipeline(kMoving, all_references(8)), folder);
  const std::string forward = text_of(project / "dnn/src/forward.cpp");
  for (const char* kernel : {"depth_to_space(", "transpose_map(", "reshape_map("})
    EXPECT_NE(forward.find(kernel), std::string::npos) << kernel;
  build_and_compare(project, is_in_turn(0, 2) ? kGccO1 : kGccO2);
}

/// What chooses among maps, and functions of all channels. put_joins() replaces some layers.
constexpr const char* kJoins =
    "[database]\nType=Glyphs_Database\nWidth=16\nHeight=16\nLearn=8\nValidation=0\nTest=4\n"
    "[sp]\nSize=16 16\nBatchSize=4\n"
    "[a]\nInput=sp\nType=Conv\nKernelSize=3\nNbOutputs=6\nWeightsFiller=HeFiller\n"
    "[b]\nInput=sp\nType=Conv\nKernelSize=3\nNbOutputs=6\nWeightsFiller=HeFiller\n"
    "[largest]\nInput=a,b\nType=ElemWise\nOperation=Max\nNbOutputs=6\n"
    "[smallest]\nInput=largest,b\nType=ElemWise\nOperation=Min\nNbOutputs=6\n"
    "[norm]\nInput=smallest\nType=LRN\nNbOutputs=6\n"
    "[padded]\nInput=norm\nType=Padding\nTopPadding=1\nBottomPadding=0\nLeftPadding=2\nRightPadding="
    "0\nNbOutputs=6\n"
    "[logs]\nInput=padded\nType=Softmax\nNbOutputs=6\n"
    "[last]\nInput=logs\nType=Conv\nKernelSize=3\nNbOutputs=4\nWeightsFiller=HeFiller\n"
    "[fc]\nInput=last\nType=Fc\nNbOutputs=10\nWeightsFiller=HeFiller\n[fc.Target]\n";

void put_joins(loader::Network& net) {
  graph::Graph& graph = net.graph;
  const auto replace = [&](const char* name, std::unique_ptr<graph::Operator> op, const Tensor* operand) {
    const graph::NodeId id = graph.find_node(name).value();
    std::vector<graph::ValueId> inputs = graph.node(id).inputs;
    if (operand != nullptr) inputs.push_back(graph.add_constant(std::string(name) + "_operand", *operand));
    graph.replace(id, std::move(op), inputs);
  };
  Rng rng(3, "operand");
  Tensor operand(Shape{1, 1, 14, 14});
  for (float& x : operand.span<float>()) x = static_cast<float>(rng.uniform(-1, 1));
  auto smallest = std::make_unique<ops::ElemWise>();
  smallest->operation = ops::ElemWiseOperation::Min, smallest->constants_from = 2;
  replace("smallest", std::move(smallest), &operand);
  auto border = std::make_unique<ops::Border>();
  border->value = -0.3, border->top = 1, border->left = 2;
  replace("padded", std::move(border), nullptr);
  replace("logs", std::make_unique<ops::LogSoftmax>(), nullptr);
}

TEST(JoinedMaps, AreThoseOfTheHost) {
  const log::Capture quiet;
  size_t turn = 0;
  for (const int bits : {8, 16, -32}) {
    const TemporaryFolder folder;
    Settings settings = all_references(bits);
    settings.prepare = put_joins;
    const fs::path project = write(run_pipeline(kJoins, settings), folder);
    const std::string forward = text_of(project / "dnn/src/forward.cpp");
    for (const char* kernel : {"maximum(", "minimum(", "lrn(", "log_softmax(", "pad_map("})
      EXPECT_NE(forward.find(kernel), std::string::npos) << kernel;
    if (is_in_turn(turn++, 3)) build_and_compare(project, bits == 8 ? kClangO3 : kGccO3);
  }
}

/// Two channels of a depthwise layer have factors of 1e9 and more, for nothing but 0 ever reaches them.
TEST(FixedPoint, TakesFactorsOfDeadChannels) {
  Settings settings = all_references(8);
  settings.equalize = false;
  settings.prepare = [](loader::Network& net) {
    const auto scale_rows = [&](const char* name, int64_t row, float by) {
      Tensor& weights = net.graph.mutable_constant(*net.graph.find_value(name));
      for (int64_t i = 0; i < 2 * row; ++i) weights.span<float>()[static_cast<size_t>(i)] *= by;
    };
    scale_rows("first_weights", 9, 1e-12F);
    scale_rows("second_weights", 9, 1e12F);
  };
  for (const RescaleMode mode : {RescaleMode::FixedPoint32, RescaleMode::DoubleShift}) {
    SCOPED_TRACE(mode_name(mode));
    const TemporaryFolder folder;
    settings.rescaling = mode;
    const log::Capture log;
    const fs::path project = write(run_pipeline(ini_of(kDeadChannels), settings), folder);
    EXPECT_NE(log.text().find("limited where that changes no integer: 2 of 8 in 'second'"), std::string::npos)
        << log.text();
    if (is_in_turn(mode == RescaleMode::FixedPoint32 ? 0 : 1, 2)) build_and_compare(project, kGccO3);
  }
}

/// Optimize=size: layers share code, with tiles of few sizes; the static form and instances, any elements.
class LittleCode : public testing::TestWithParam<std::tuple<NamedIni, int>> {};

TEST_P(LittleCode, ComputesTheSameBytes) {
  const log::Capture quiet;
  const auto& [net, bits] = GetParam();
  const bool is_taken = bits == 8 || is_drawn(fmt::format("little code {}", bits));
  const TemporaryFolder folder;
  Settings settings = all_references(bits);
  settings.parameters.optimize = targets::cpp::Optimize::Size;
  const fs::path project = write(run_pipeline(ini_of(net), settings), folder);
  const std::string forward = text_of(project / "dnn/src/forward.cpp");
  EXPECT_NE(forward.find("Layers of one kind share a function"), std::string::npos);
  EXPECT_NE(text_of(project / "sources.mk").find("OPTIMIZE ?= -Os"), std::string::npos);
  build_and_compare(project, {"g++ as the project says", "CXX=g++ CXXFLAGS=-Werror"});
  if (!is_taken) return;
  if (is_in_turn(0, 2)) build_and_compare(project, kClangO3);
  if (is_in_turn(1, 2))
    build_and_compare(project, {"portable", "CXX=g++ CXXFLAGS=-Werror ISA=portable OPENMP=0"});
}

INSTANTIATE_TEST_SUITE_P(Networks, LittleCode,
                         testing::Combine(testing::Values(kRepeated), testing::Values(8, 16, -32)),
                         [](const auto& info) {
                           const int bits = std::get<1>(info.param);
                           return std::string(std::get<0>(info.param).name) +
                                  (bits < 0 ? "_float32" : fmt::format("_int{}", bits));
                         });

/// The last layer an Fc, an average, a sum of two and a convolution, with outputs of 16 and 32 bits. Each run
/// compiles the map, whose output is the largest, with sanitizers, and two of the others without.
TEST(OutputBits, AreTheBytesOfTheHostRun) {
  const log::Capture quiet;
  int combination = 0;
  uint64_t number = 0;
  for (const NamedIni& net : {kLenet, kLastPool, kLastSum, kLastMap})
    for (const int bits : {8, 16}) {
      const int of_output = bits == 16 || ++combination % 2 == 0 ? 32 : 16;
      SCOPED_TRACE(fmt::format("{} of {} bits, outputs of {}", net.name, bits, of_output));
      const bool is_sanitized =
          bits == 8 && (net.name == std::string(kLastMap.name) ||
                        is_drawn(fmt::format("outputs {} of {}", net.name, of_output), 16));
      const bool is_compiled = is_sanitized || is_in_turn(number++, 4);
      const TemporaryFolder folder;
      Settings settings = all_references(bits);
      settings.parameters.output_bits = of_output;
      const fs::path project = write(run_pipeline(ini_of(net), settings), folder);
      EXPECT_NE(text_of(project / "dnn/include/env.hpp")
                    .find(fmt::format("OUTPUTS_NB_BITS[NETWORK_TARGETS] = {{ {} }}", of_output)),
                std::string::npos);
      if (is_compiled) build_and_compare(project, is_sanitized ? kSanitized : kGccO1);
    }
}

/// The index of the largest of 32-bit scores of each pixel, the first of equals.
std::string classes_of(const Tensor& scores) {
  std::string out;
  const Shape& shape = scores.shape();
  const auto* values = scores.data<int32_t>();
  for (int64_t pixel = 0; pixel < shape.h() * shape.w(); ++pixel) {
    int64_t best = 0;
    for (int64_t c = 1; c < shape.c(); ++c)
      if (values[c * shape.h() * shape.w() + pixel] > values[best * shape.h() * shape.w() + pixel]) best = c;
    out += fmt::format(" {}", best);
  }
  return out;
}

class Segmentation : public testing::TestWithParam<NamedIni> {};

/// Without a wish: every layer and every class of a pixel as in the host run, by a plan that holds.
TEST_P(Segmentation, HasScoresOf32BitsForEachPixel) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const Exported net = run_pipeline(ini_of(GetParam()), all_references(8));
  const fs::path project = write(net, folder);
  EXPECT_NE(text_of(project / "dnn/include/env.hpp").find("OUTPUTS_NB_BITS[NETWORK_TARGETS] = { 32 }"),
            std::string::npos);
  const auto [problem, plan] =
      memory::plan_file_from_csv(text_of(project / "statistics/memory/memory_plan.csv"), "memory_plan.csv");
  EXPECT_TRUE(memory::validate(problem, plan).empty());
  if (is_drawn(fmt::format("segmentation {}", GetParam().name))) build_and_compare(project, kSanitized);
  const std::string_view name = GetParam().name;
  if (name != kSegments.name && !is_in_turn(name == kLastMap.name ? 0 : 1, 2)) return;
  build_and_compare(project, {"checked", "CXX=g++ CXXFLAGS='-O1 -Werror' CHECK_MEMORY=1"});
  const CommandResult run = run_command(project, "./bin/run_export -classes classes.txt");
  EXPECT_EQ(run.status, 0) << run.output;
  std::string expected;
  std::set<char> found;
  for (size_t i = 0; i < net.stimuli.size(); ++i) {
    const std::string classes = classes_of(net.project->host_run(net.stimuli[i].input).front());
    expected += fmt::format("env{}{}\n", i, classes);
    found.insert(classes.begin(), classes.end());
  }
  EXPECT_GT(found.size(), 2U);  // of digits and the space between them
  EXPECT_EQ(text_of(project / "classes.txt"), expected);
}

INSTANTIATE_TEST_SUITE_P(Each, Segmentation, testing::Values(kLastMap, kSegments, kSegmentsBetween),
                         [](const auto& info) { return info.param.name; });

/// 10 channels of 16x16 pixels: what they cost stands in the README, and OutputNbBits=8 gives it back.
TEST(SegmentationOf32Bits, SaysWhatItsScoresCost) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  Settings settings = all_references(8);
  const Exported wide = run_pipeline(ini_of(kSegments), settings);
  EXPECT_NE(
      text_of(write(wide, folder) / "README.md")
          .find("| of it the output `classes` | 10,240 bytes in 32 bits; 2,560 with `OutputNbBits=8` |\n"),
      std::string::npos);
  settings.parameters.output_bits = 8;
  const Exported narrow = run_pipeline(ini_of(kSegments), settings);
  EXPECT_EQ(text_of(write(narrow, folder) / "README.md").find("| of it the output"), std::string::npos);
  EXPECT_GE(wide.project->memory().peak, 10240);
  EXPECT_LE(narrow.project->memory().peak, wide.project->memory().peak / 2);
  EXPECT_EQ(text_of(write(run_pipeline(ini_of(kLenet), all_references(8)), folder) / "README.md")
                .find("| of it the output"),
            std::string::npos);
}

class Parameters : public testing::TestWithParam<std::pair<const char*, targets::cpp::Parameters>> {};

TEST_P(Parameters, DoNotChangeTheBytes) {
  const log::Capture quiet;
  const Exported plain = run_pipeline(ini_of(kBranches), all_references(8));
  Settings settings = all_references(8);
  settings.parameters = GetParam().second;
  settings.parameters.reference_stimuli = 100;
  const Exported other = run_pipeline(ini_of(kBranches), settings);
  const auto expected = outputs_by_cell(*plain.project, plain.stimuli[0].input);
  const auto found = outputs_by_cell(*other.project, plain.stimuli[0].input);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [cell, tensor] : found) EXPECT_TRUE(tensor == expected.at(cell)) << cell;
  static const std::set<std::string> core{"CopiedConcat", "TwoMemories", "NoPowerOfTwo", "StreamingOutside",
                                          "StreamInputWithin"};
  const std::string name = GetParam().first;
  const TemporaryFolder folder;
  const fs::path project = write(other, folder);
  // The plan is varied, not what kernels do; the host run has checked it.
  if (core.contains(name) || is_drawn("parameters " + name, 4)) build_and_compare(project, kGccO1);
}

std::vector<std::pair<const char*, targets::cpp::Parameters>> parameter_cases() {
  targets::cpp::Parameters outside, aligned, minimum, best, named, copied, apart, checked, memories, x86,
      cortex, odd, streaming, streaming_outside, rows, rows_aligned, rows_within, rings;
  outside.include_input_in_buffer = false;
  aligned.memory_alignment = 4;
  minimum.memory_manager_strategy = "None";
  best.memory_manager_strategy = "OptimizeBest";
  named.namespace_name = "Lobby";
  copied.optimize_no_branch_concat = false;
  apart.optimize_buffer_memory = false;
  checked.check_memory = true;
  x86.machine = targets::cpp::Machine::X86;
  odd.memory_alignment = 3;
  odd.check_memory = true;
  odd.memories = {{.name = "thirds", .alignment = 12}};
  cortex.machine = targets::cpp::Machine::CortexM;
  streaming.memory_budget = {targets::cpp::MemoryBudget::Kind::Least, 0};
  streaming.check_memory = true;
  streaming_outside = streaming;
  streaming_outside.include_input_in_buffer = false;
  streaming_outside.optimize = targets::cpp::Optimize::Size;
  rows = checked;
  rows.stream_input = true;
  rows_aligned = rows;
  rows_aligned.memory_alignment = 8;
  rows_within = rows;
  rows_within.memory_budget = {targets::cpp::MemoryBudget::Kind::Bytes, 1 << 20};
  rows_within.memories = {{.name = "fast", .section = ".fast"}, {.name = "slow"}};
  rings = streaming;
  rings.memories = {{.name = "slow"}, {.name = "fast", .section = ".fast"}};
  rings.layers = {{"", {}, {{}, {"fast"}}}};
  memories.memories = {{.name = "fast", .size = 700, .section = ".fast"}, {.name = "slow"}};
  memories.layers = {{"", {}, {{}, {"fast", "slow"}}}, {"wide2", {}, {{}, {"slow"}}}};
  return {{"InputOutside", outside},
          {"Aligned", aligned},
          {"StrategyNone", minimum},
          {"StrategyBest", best},
          {"Namespace", named},
          {"CopiedConcat", copied},
          {"NoOverlap", apart},
          {"CheckMemory", checked},
          {"TwoMemories", memories},
          {"TargetX86", x86},
          {"TargetCortexM", cortex},
          {"NoPowerOfTwo", odd},
          {"Streaming", streaming},
          {"StreamingOutside", streaming_outside},
          {"StreamInput", rows},
          {"StreamInputAligned", rows_aligned},
          {"StreamInputWithin", rows_within},
          {"RingsInFast", rings}};
}

INSTANTIATE_TEST_SUITE_P(Each, Parameters, testing::ValuesIn(parameter_cases()),
                         [](const auto& info) { return info.param.first; });

TEST(ExportedProgramErrors, AChangedReferenceIsFound) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = write(run_pipeline(ini_of(kLenet), all_references(8)), folder);
  ASSERT_EQ(run_command(project, std::string("make -s ") + kGccO1.make).status, 0);
  ASSERT_EQ(run_command(project, "sed -i '2s/^[0-9-]*/99/' reference/env0/fc1.txt").status, 0);
  const CommandResult run = run_command(project, "./bin/run_export -compare reference");
  EXPECT_EQ(run.status, 1) << run.output;
}

}  // namespace
}  // namespace n2d2::e2e
