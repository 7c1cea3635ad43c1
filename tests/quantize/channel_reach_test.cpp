#include "integers/channel_reach.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/integer.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::ChannelReach;
using ::testing::HasSubstr;

/// data -> 1x1 -> depthwise, in which channel 0 is 1e-12 of the others before and 1 of them behind.
struct FaintChannel {
  Net net{Shape{1, 3, 4, 4}};
  FaintChannel() {
    const ValueId first = net.conv("first", net.data, 4, 1);
    net.graph.set_outputs({net.depthwise("second", first, 3)});
    for (size_t i = 0; i < 3; ++i) net.parameter("first", 1)[i] *= 1e-12F;
    net.parameter("first", 2)[0] = 0;
    for (size_t i = 0; i < 9; ++i) net.parameter("second", 1)[i] *= 1e12F;
  }
  quantize::QuantReport quantized(RescaleMode mode) {
    Tensor batch(Shape{2, 3, 4, 4});
    for (size_t i = 0; i < batch.span<float>().size(); ++i)
      batch.span<float>()[i] = static_cast<float>(i % 7) / 7;
    return quantize::quantize_graph(net.graph, observe(net.graph, batch), without_clipping(8, mode));
  }
};

TEST(ChannelReach, FindsChannelsThatAreConstantSoThatTheyHaveAFixedPoint) {
  for (const RescaleMode mode :
       {RescaleMode::FixedPoint32, RescaleMode::FixedPoint16, RescaleMode::DoubleShift}) {
    log::Capture log;
    FaintChannel faint;
    faint.quantized(mode);
    EXPECT_EQ(faint.net.node("second").rescale->mode, mode);
    EXPECT_EQ(
        log.text(),
        "-act-rescaling-mode: factors beyond the multipliers are limited where that changes no integer: "
        "1 of 4 in 'second'\n");
  }
}

/// The scales and intervals of a graph that is quantized.
struct Reach {
  quantize::Scales scales;
  std::unique_ptr<ChannelReach> reach;

  explicit Reach(const Graph& graph) {
    for (const ValueId id : graph.values()) {
      const auto& quant = graph.value(id).type.quant;
      if (graph.value(id).is_constant() || !quant) continue;
      scales[id] = {quant->threshold_of(), quant->is_signed, quant->bits, quant->zero_point, "", false};
    }
    reach = std::make_unique<ChannelReach>(graph, scales);
    for (const NodeId id : graph.schedule()) {
      const graph::Node& node = graph.node(id);
      const graph::IntegerForm form = graph::integer_form(graph, node);
      std::vector<quantize::Interval> sums;
      if (form.weighted) {
        quantize::IntegerParameters parameters;
        parameters.weights = *graph.value(node.inputs.at(1)).constant;
        parameters.biases = *graph.value(node.inputs.at(2)).constant;
        sums = reach->sums(node, form, parameters);
      } else if (form.scale == graph::ScaleOf::Own && form.adds == graph::Addends::Taps) {
        sums = reach->sums(node, form);
      }
      reach->note(node, form, sums);
    }
  }
};

/// Layers of every kind, with channels that nothing reaches.
Graph mixed_network(uint64_t seed) {
  Net net(Shape{1, 4, 8, 8}, seed);
  const ValueId a = net.conv("a", net.data, 6, 3), b = net.depthwise("b", a, 3);
  for (size_t i = 0; i < 36; ++i) net.parameter("a", 1)[i] *= 1e-9F;
  net.parameter("a", 2)[0] = 0;
  const ValueId max = net.pool("max", a, ops::Pooling::Max, 2),
                mean = net.pool("mean", a, ops::Pooling::Average, 2);
  const ValueId both = net.concat("both", {max, mean});
  const ValueId scaled = net.scaling("scaled", both, {-0.5});
  const ValueId sum = net.sum("sum", {scaled, both});
  net.graph.set_outputs({net.fc("fc", sum, 5), net.fc("other", b, 3)});
  return std::move(net.graph);
}

/// Samples of nothing but extremes reach far.
Tensor extremes(const TensorType& type, Rng& rng) {
  Tensor out(type.shape, type.dtype);
  auto* bytes = static_cast<uint8_t*>(out.raw());
  const uint8_t low = type.dtype == DataType::U8 ? 0 : 128, high = type.dtype == DataType::U8 ? 255 : 127;
  for (int64_t i = 0; i < out.elements(); ++i) bytes[i] = rng.uniform(0, 1) < 0.5 ? low : high;
  return out;
}

TEST(ChannelReach, HoldsEveryIntegerThatANetworkMakes) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Graph graph = mixed_network(seed);
    Rng rng(seed, "samples");
    const log::Capture quiet;
    const Tensor batch = random_tensor(Shape{2, 4, 8, 8}, rng, -1, 1);
    quantize::quantize_graph(graph, observe(graph, batch), without_clipping(8, RescaleMode::FixedPoint32));
    const Reach known(graph);
    const compute::IntegerExecutor judge(graph);
    int64_t narrow = 0;
    for (int sample = 0; sample < 20; ++sample)
      for (const auto& [id, tensor] : judge.run(extremes(graph.value(graph.inputs()[0]).type, rng))) {
        const auto& channels = known.reach->of(id);
        const Integers values = integers_of(tensor);
        const size_t pixels = values.size() / channels.size();
        for (size_t i = 0; i < values.size(); ++i) {
          const quantize::Interval& reach = channels[i / pixels];
          ASSERT_GE(static_cast<double>(values[i]), reach.lo) << graph.value(id).name;
          ASSERT_LE(static_cast<double>(values[i]), reach.hi) << graph.value(id).name;
          narrow += reach.lo == reach.hi ? 1 : 0;
        }
      }
    EXPECT_GT(narrow, 0);
  }
}

}  // namespace
}  // namespace n2d2::testing
