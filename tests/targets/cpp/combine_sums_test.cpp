#include "n2d2/targets/cpp/combine_sums.hpp"

#include <set>

#include <gmock/gmock.h>

#include "n2d2/program/memory_check.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/program/tiling.hpp"

#include "program/layers.hpp"

namespace n2d2::targets::cpp {
namespace {

using testing::ElementsAre;

constexpr const char* kType = " : u8 1x3x5x4 nhwc quant(8 unsigned -1 1)";

/// Lines "name = operator"; @conv, @sum and @pool stand for what a layer says behind its inputs.
graph::Graph net(const std::vector<std::string>& lines, const std::vector<std::string>& outputs = {"y"}) {
  Rng rng(9);
  const program::Layer of{"", {}, {}, "", {3, 3, 3, 3}};
  std::string text = fmt::format("input sp{}\n{}", kType, program::constants_of(of, rng));
  for (const std::string& line : lines) {
    const size_t name = line.find(' ');
    text += line.substr(0, name) + kType + line.substr(name) + "\n";
  }
  for (const std::string& output : outputs) text += "output " + output + "\n";
  const auto put = [&](const std::string& word, const std::string& by) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
      text.replace(at, word.size(), by);
  };
  put("@conv",
      "NbOutputs=\"3\" KernelDims=\"3 3\" Padding=\"1 1 1 1\" rescale=\"Floating-point 0 255 0 : 0.013 :\"");
  put("@sum", "Operation=\"Sum\" rescale=\"Fixed-point32 0 255 2 : : 3 2\"");
  put("@three", "Operation=\"Sum\" rescale=\"Fixed-point32 0 255 2 : : 3 2 1\"");
  put("@pool", "PoolDims=\"1 1\" Pooling=\"Max\"");
  return graph::from_text(text, ops::registry(), "net.txt");
}

program::Planned planned(graph::Graph graph, bool combined) {
  std::vector<program::Output> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.push_back({id, 2});
  program::MemorySettings settings;
  if (combined) settings.peephole.combiners.push_back(combine_sums());
  return program::planned(std::move(graph), outputs, settings);
}

Tensor sample_of(const program::Program& program) {
  Rng rng(3);
  const TensorType& type = program.graph.value(program.input()).type;
  Tensor out(type.shape, type.dtype);
  for (uint8_t& x : out.span<uint8_t>()) x = static_cast<uint8_t>(rng.below(256));
  return out;
}

/// The kernels of the program with the combiner; what its cells give equals what they give without it.
std::vector<std::string> kernels_of(const graph::Graph& graph) {
  const program::Planned apart = planned(graph, false), both = planned(graph, true);
  const Tensor sample = sample_of(apart.program);
  std::map<std::string, Tensor> expected;
  for (auto& layer : program::run_layers(apart.program, sample))
    if (layer.cell != nullptr) expected[layer.cell->name] = std::move(layer.tensor);
  for (const auto& layer : program::run_layers(both.program, sample)) {
    if (layer.cell == nullptr) continue;
    EXPECT_TRUE(layer.tensor == expected.at(layer.cell->name)) << layer.cell->name;
  }
  program::check_memory(both, sample, "test");
  EXPECT_EQ(program::multiplications(both.program).all, program::multiplications(apart.program).all);
  std::vector<std::string> out;
  for (const program::Call& call : both.program.calls) out.emplace_back(call.kernel->name());
  return out;
}

TEST(CombineSums, MakesASumPartOfTheConvolutionBeforeIt) {
  const std::vector<std::string> pool{"a = Pool(sp) @pool"};
  for (const char* sum : {"y = ElemWise(sp, c) @sum", "y = ElemWise(c, sp) @sum", "y = ElemWise(c, a) @sum"})
    EXPECT_THAT(kernels_of(net({"a = Pool(sp) @pool", "c = Conv(a, w, b) @conv", sum})),
                ElementsAre("max_pool", "conv2d_sum"));
}

TEST(CombineSums, TheCellOfTheConvolutionIsGone) {
  const program::Planned both = planned(net({"c = Conv(sp, w, b) @conv", "y = ElemWise(sp, c) @sum"}), true);
  ASSERT_EQ(both.program.cells.size(), 1U);
  EXPECT_EQ(both.program.cells[0].name, "y");
  EXPECT_EQ(both.program.views.size(), 2U);
}

TEST(CombineSums, TakesOneOfTwoConvolutions) {
  EXPECT_THAT(kernels_of(net({"a = Pool(sp) @pool", "c = Conv(a, w, b) @conv", "d = Conv(sp, w, b) @conv",
                              "y = ElemWise(c, d) @sum"})),
              ElementsAre("max_pool", "conv2d", "conv2d_sum"));
}

TEST(CombineSums, OutputMayLieOnTheAddend) {
  const graph::Graph graph =
      net({"a = Pool(sp) @pool", "c = Conv(a, w, b) @conv", "y = ElemWise(sp, c) @sum"});
  const program::Planned apart = planned(graph, false), both = planned(graph, true);
  EXPECT_LT(both.program.memories[0].peak, apart.program.memories[0].peak);
  EXPECT_EQ(both.program.memories[0].peak, 2 * 3 * 5 * 4);
}

TEST(CombineSums, LeavesAConvolutionThatOthersRead) {
  EXPECT_THAT(kernels_of(net({"c = Conv(sp, w, b) @conv", "y = ElemWise(sp, c) @sum", "z = Pool(c) @pool"},
                             {"y", "z"})),
              testing::Contains("conv2d"));
  EXPECT_THAT(kernels_of(net({"c = Conv(sp, w, b) @conv", "y = ElemWise(c, c) @sum"})),
              ElementsAre("conv2d", "sum"));
}

TEST(CombineSums, LeavesAConvolutionThatIsAnOutput) {
  EXPECT_THAT(kernels_of(net({"c = Conv(sp, w, b) @conv", "y = ElemWise(sp, c) @sum"}, {"y", "c"})),
              ElementsAre("conv2d", "sum"));
}

TEST(CombineSums, LeavesSumsOfThree) {
  EXPECT_THAT(
      kernels_of(net({"a = Pool(sp) @pool", "c = Conv(a, w, b) @conv", "y = ElemWise(sp, a, c) @three"})),
      ElementsAre("max_pool", "conv2d", "sum"));
}

/// Layers that read any value of before, mostly the newest ones.
TEST(CombineSums, LeavesTheBytesOfRandomNetworks) {
  int combined = 0;
  for (uint64_t seed = 0; seed < 600 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, "residual");
    std::vector<std::string> names{"sp"}, lines, outputs;
    std::set<std::string> read;
    const auto any = [&] {
      const std::string& name = names[names.size() - 1 - rng.below(std::min<size_t>(names.size(), 3))];
      read.insert(name);
      return name;
    };
    for (uint64_t i = 0; i < 4 + rng.below(8); ++i) {
      const std::string name = "n" + std::to_string(i), a = any();
      const uint64_t kind = rng.below(5);
      if (kind == 0)
        lines.push_back(name + " = Pool(" + a + ") @pool");
      else if (kind < 3)
        lines.push_back(name + " = Conv(" + a + ", w, b) @conv");
      else
        lines.push_back(name + " = ElemWise(" + a + ", " + any() + ") @sum");
      names.push_back(name);
    }
    for (const std::string& name : names)
      if (!read.contains(name) || (name != "sp" && rng.chance(0.05))) outputs.push_back(name);
    const auto kernels = kernels_of(net(lines, outputs));
    combined += static_cast<int>(std::count(kernels.begin(), kernels.end(), "conv2d_sum"));
  }
  EXPECT_GE(combined, 100);
}

/// The calls of a program without a plan.
std::vector<program::Call> calls_of(const graph::Graph& graph, program::Program& program) {
  std::vector<program::Output> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.push_back({id, 2});
  const program::Lowering lowering(graph, outputs, kernels(), [](const graph::Node&, const std::string&) {});
  program = lowering.program(lowering.graph().schedule(), {});
  return program.calls;
}

TEST(CombineSums, LeavesCallsOfSomeRowsAndNeighboursThatDoNotBelongTogether) {
  program::Program program;
  const auto calls = calls_of(net({"c = Conv(sp, w, b) @conv", "y = ElemWise(sp, c) @sum"}), program);
  const auto combined = [&](program::Call conv, program::Call sum) {
    const std::vector<program::Call> window{std::move(conv), std::move(sum)};
    return combine_sums().combine(program, window).has_value();
  };
  EXPECT_TRUE(combined(calls[0], calls[1]));
  EXPECT_FALSE(combined(calls[1], calls[0]));
  program::Call some = calls[0], other = calls[1];
  some.rows = {0, 2};
  EXPECT_FALSE(combined(some, calls[1]));
  other.rows = {1, 4};
  EXPECT_FALSE(combined(calls[0], other));
  other = calls[1], other.in = {other.in[0], other.in[0]};
  EXPECT_FALSE(combined(calls[0], other));
  program.views[static_cast<size_t>(calls[0].out[0])].host = calls[1].out[0];
  EXPECT_FALSE(combined(calls[0], calls[1])) << "a lane";
}

}  // namespace
}  // namespace n2d2::targets::cpp
