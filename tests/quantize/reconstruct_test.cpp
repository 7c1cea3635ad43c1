// Are weights learnt by blocks nearer to what the floats make?
#include "n2d2/quantize/reconstruct.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/softmax.hpp"

#include "quantize/integer_net.hpp"
#include "reconstruction/blocks.hpp"
#include "reconstruction/soft_rounding.hpp"
#include "rounding/simulated_graph.hpp"

namespace n2d2::testing {
namespace {

using quantize::Block;
using quantize::RoundedLayer;
using quantize::SoftRounding;

// ---- blocks
// ------------------------------------------------------------------------------------------------

std::vector<std::string> names(const Graph& graph, const Block& block) {
  std::vector<std::string> out;
  for (const NodeId id : block.nodes) out.push_back(graph.node(id).name);
  return out;
}

/// Three convolutions in a row, two branches of which one has two, a sum, and an Fc with a Softmax.
struct Blocks : ::testing::Test {
  Net net{Shape{1, 2, 8, 8}};

  Blocks() {
    const ValueId a = net.conv("a", net.data, 4, 3), b = net.conv("b", a, 4, 1), c = net.conv("c", b, 4, 1);
    const ValueId left = net.conv("left2", net.conv("left1", c, 4, 3), 4, 3),
                  right = net.conv("right", c, 4, 5);
    const ValueId sum = net.sum("sum", {left, right});
    const ValueId fc = net.fc("fc", net.pool("pool", sum, ops::Pooling::Average, 2), 5);
    net.graph.set_outputs({net.softmax("softmax", fc)});
  }
};

TEST_F(Blocks, EndWhereOneValueGoesOn) {
  const std::vector<Block> blocks = quantize::blocks_of(net.graph, 2);
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(names(net.graph, blocks[0]), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names(net.graph, blocks[1]), (std::vector<std::string>{"c"}));
  EXPECT_EQ(names(net.graph, blocks[2]),
            (std::vector<std::string>{"left1", "left2", "right", "sum", "pool"}));
  EXPECT_EQ(names(net.graph, blocks[3]), std::vector<std::string>{"fc"});
  EXPECT_EQ(blocks[0].in, net.data);
  for (size_t i = 1; i < blocks.size(); ++i) EXPECT_EQ(blocks[i].in, blocks[i - 1].outs.at(0));
}

TEST_F(Blocks, HaveTheOutputsInsideThem) {
  const ValueId inner = net.node("a").outputs[0], end = net.node("fc").outputs[0];
  net.graph.set_outputs({inner, end});
  const std::vector<Block> blocks = quantize::blocks_of(net.graph, 2);
  EXPECT_EQ(blocks[0].outs, (std::vector<ValueId>{net.node("b").outputs[0], inner}));
  EXPECT_EQ(blocks.back().outs, std::vector<ValueId>{end});
}

TEST_F(Blocks, ComputeWhatTheNetworkDoes) {
  Tensor sample(Shape{2, 2, 8, 8});
  for (float& x : sample.span<float>()) x = static_cast<float>(net.rng.uniform(-1, 1));
  const std::map<ValueId, Tensor> values = evaluate_all(net.graph, sample);
  for (const Block& block : quantize::blocks_of(net.graph, 2)) {
    const Graph own = quantize::block_graph(net.graph, net.graph, block);
    const std::vector<Tensor> outs = evaluate(own, values.at(block.in));
    ASSERT_EQ(outs.size(), block.outs.size());
    for (size_t i = 0; i < outs.size(); ++i) EXPECT_TRUE(outs[i] == values.at(block.outs[i]));
  }
}

TEST_F(Blocks, RoundWhatIsInsideThemAlone) {
  Tensor sample(Shape{1, 2, 8, 8});
  for (float& x : sample.span<float>()) x = static_cast<float>(net.rng.uniform(-1, 1));
  Graph integers = net.graph;
  quantize::quantize_graph(integers, observe_channels(net.graph, sample), without_clipping());
  const Graph simulated = quantize::simulated_graph(net.graph, integers);
  const Block first = quantize::blocks_of(net.graph, 2).at(0);
  int roundings = 0;
  const Graph own = quantize::block_graph(simulated, net.graph, first);
  for (const NodeId id : own.nodes())
    if (graph::as<ops::FakeQuantize>(own.node(id)) != nullptr) ++roundings;
  EXPECT_EQ(roundings, 1);  // what b reads; not what a reads
  EXPECT_NE(quantize::rounding_of(simulated, net.graph, first.in), nullptr);
  EXPECT_EQ(quantize::rounding_of(net.graph, net.graph, first.in), nullptr);
}

// ---- weights
// -----------------------------------------------------------------------------------------------

RoundedLayer layer_of(int bits, std::vector<float> scales, std::vector<int8_t> integers, size_t outputs) {
  RoundedLayer out;
  out.bits = bits, out.scales = std::move(scales), out.integers = std::move(integers);
  out.biases.resize(outputs);
  return out;
}

std::vector<float> written(const SoftRounding& soft) {
  std::vector<float> out(static_cast<size_t>(soft.size()));
  soft.write(out);
  return out;
}

TEST(SoftRounding, StartsNearTheIntegersThatWeightsHad) {
  const std::vector<float> weights{0.31F, -0.47F, 0.1F, 1.2F, -1.1F, 0.9F};
  const std::vector<int8_t> integers{4, -5, 1, 6, -6, 3};  // the last one is far from its weight
  const SoftRounding soft(weights, layer_of(8, {0.1F, 0.2F}, integers, 2));
  EXPECT_EQ(soft.integers(), integers);
  const std::vector<float> expected{0.382F, -0.494F, 0.1F, 1.2F, -1.18F, 0.64F};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(written(soft)[i], expected[i], 0.0021) << i;  // 0.01 of a step
}

TEST(SoftRounding, EndsAtTheIntegersThatThePullChooses) {
  const std::vector<float> weights{0.31F, -0.47F, 0.04F, 0.76F};
  SoftRounding soft(weights, layer_of(8, {0.1F}, {3, -5, 0, 8}, 2));
  const std::vector<float> nothing(4);
  for (int step = 0; step < 1000; ++step) soft.learn(nothing, {0.01, 1, 2});
  const std::vector<int8_t> integers = soft.integers();
  EXPECT_EQ(integers, (std::vector<int8_t>{3, -5, 0, 8}));
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(written(soft)[i], 0.1F * integers[i], 1e-6);
}

TEST(SoftRounding, FollowsTheGradientAndKeepsToTheGrid) {
  const std::vector<float> weights{0.31F, 0.31F, 5, -5};
  SoftRounding soft(weights, layer_of(4, {0.1F}, {3, 4, 7, -7}, 1));
  const std::vector<float> gradient{-1, 1, -1, 1};
  for (int step = 0; step < 1000; ++step) soft.learn(gradient, {0.01, 0, 2});
  EXPECT_EQ(soft.integers(), (std::vector<int8_t>{4, 3, 7, -7}));
}

// ---- networks
// ----------------------------------------------------------------------------------------------

struct Reconstruction : ::testing::Test {
  static constexpr int64_t kSamples = 48;
  Net net{Shape{1, 3, 8, 8}};
  quantize::Options options = without_clipping();
  Tensor samples{Shape{kSamples, 3, 8, 8}};

  Reconstruction() {
    const ValueId first = net.conv("first", net.data, 8, 3);
    net.graph.set_clamp(net.node("first").id, Clamp{0, Clamp{}.hi});
    const ValueId deep = net.depthwise("deep", first, 3, false);
    net.graph.set_clamp(net.node("deep").id, Clamp{0, Clamp{}.hi});
    const ValueId second = net.conv("second", deep, 8, 1);
    const ValueId pool = net.pool("pool", net.sum("sum", {second, deep}), ops::Pooling::Average, 2);
    net.graph.set_outputs({net.fc("fc", pool, 5)});
    options.widths.others.weights = 3;
    Rng rng(2, "samples");
    for (int64_t n = 0; n < kSamples; ++n) {
      const double level = rng.uniform(0, 1), slope = rng.uniform(-0.1, 0.1);
      for (int64_t i = 0; i < 192; ++i)
        samples.data<float>()[n * 192 + i] =
            static_cast<float>(level + slope * static_cast<double>(i % 8) + 0.3 * rng.normal());
    }
  }
  static compute::ExecutorOptions executor() { return {compute::Backend::OneDnn, false, 7}; }
  static constexpr int64_t kSteps = 800;
  quantize::BatchSource source() const {
    return [this](int64_t index, Tensor& batch) {
      batch = samples;
      return index == 0;
    };
  }
  quantize::Rounding closed_form(const quantize::Ranges& ranges) const {
    return quantize::find_rounding(net.graph, ranges, options, source(), executor());
  }
  quantize::Reconstruction rebuilt() const {
    const quantize::Ranges ranges = observe_channels(net.graph, samples);
    return quantize::reconstruct(net.graph, ranges, options, closed_form(ranges), source(), executor(),
                                 kSteps);
  }
};

/// What is said of the blocks that are done.
struct ToldBlocks : progress::Watcher {
  ToldBlocks() { progress::set_watcher(this); }
  ~ToldBlocks() override { progress::set_watcher(nullptr); }
  ToldBlocks(const ToldBlocks&) = delete;
  ToldBlocks& operator=(const ToldBlocks&) = delete;
  void began(const progress::Task&) override {}
  void moved(const progress::Task& task, const progress::Detail&) override {
    text += fmt::format("{}/{} ", task.done(), task.total());
  }
  void ended(const progress::Task&) override {}
  std::string text;
};

TEST_F(Reconstruction, ErrsLessWhereItIsKept) {
  ToldBlocks told;
  const quantize::Ranges ranges = observe_channels(net.graph, samples);
  const quantize::Rounding before = closed_form(ranges);
  const quantize::Reconstruction found =
      quantize::reconstruct(net.graph, ranges, options, before, source(), executor(), kSteps);
  EXPECT_EQ(told.text, "1/2 2/2 ");
  ASSERT_EQ(found.blocks.size(), 2U);
  EXPECT_EQ(found.blocks[0].first, "first");
  EXPECT_EQ(found.blocks[1].last, "fc");
  int kept = 0;
  for (const quantize::RebuiltBlock& block : found.blocks) {
    EXPECT_EQ(block.why_not, "");
    EXPECT_GT(block.before, 0);
    if (block.is_kept()) ++kept;
  }
  ASSERT_GT(kept, 0) << quantize::to_csv(found.blocks);
  EXPECT_NE(found.rounding, before);
  for (size_t i = 0; i < before.layers.size(); ++i) {
    const RoundedLayer &one = before.layers[i], &other = found.rounding.layers[i];
    EXPECT_EQ(other.scales, one.scales);
    for (const int8_t q : other.integers) EXPECT_LE(std::abs(int{q}), (1 << (other.bits - 1)) - 1);
  }
  graph::Graph integers = net.graph;
  quantize::apply_rounding(integers, found.rounding);
  EXPECT_NO_THROW(quantize::quantize_graph(integers, ranges, options));
}

TEST_F(Reconstruction, DoesNotDependOnTheNumberOfThreads) {
  const int threads = max_threads();
  set_max_threads(1);
  const quantize::Rounding one = rebuilt().rounding;
  set_max_threads(2);
  const quantize::Rounding two = rebuilt().rounding;
  set_max_threads(threads);
  EXPECT_EQ(one, two);
}

TEST_F(Reconstruction, SaysWhatWasNotLearnt) {
  const quantize::Ranges ranges = observe_channels(net.graph, samples);
  quantize::Rounding none;
  const quantize::Reconstruction found =
      quantize::reconstruct(net.graph, ranges, options, none, source(), executor(), kSteps);
  for (const quantize::RebuiltBlock& block : found.blocks) {
    EXPECT_EQ(block.why_not, "no weights are rounded by samples");
    EXPECT_FALSE(block.is_kept());
  }
  EXPECT_TRUE(quantize::to_csv(found.blocks).starts_with("first,last,error_before,error_after,kept\nfirst,"));
}

}  // namespace
}  // namespace n2d2::testing
