// Small channels get more of the integers of their value, and the float function stays.
#include "n2d2/quantize/equalize_channels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/passes/pipelines.hpp"

#include "passes/random_net.hpp"
#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::equalize_channels;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
/// Sums of a few hundred floats, scaled by factors up to 32.
constexpr double kFloatRounding = 2e-5;
constexpr double kLargestFactor = 32;

struct EqualizeChannels : ::testing::Test {
  Net net{Shape{1, 3, 8, 8}};
  Tensor input = random_tensor(Shape{4, 3, 8, 8}, net.rng, -1, 1);

  /// Output channels of a layer become so much larger.
  void spread(const char* name, const std::vector<float>& factors) {
    for (const size_t slot : {size_t{1}, size_t{2}}) {
      const std::span<float> w = net.parameter(name, slot);
      const size_t row = w.size() / factors.size();
      for (size_t i = 0; i < w.size(); ++i) w[i] *= factors[i / row];
    }
  }
  void bound(const char* name, float low, float high) {
    net.graph.set_clamp(net.node(name).id, Clamp{low, high});
  }

  /// As of one sample, from which nothing more can be expected than what it has.
  quantize::Ranges observed() const {
    quantize::Ranges ranges = observe_channels(net.graph, input);
    ranges.samples = 1;
    return ranges;
  }
  /// Number of values that changed; fails when the outputs of the network did.
  int equalize(const quantize::Options& options = without_clipping()) {
    const std::vector<Tensor> before = evaluate(net.graph, input);
    const int values = equalize_channels(net.graph, observed(), options);
    EXPECT_LT(distance(before, evaluate(net.graph, input)), kFloatRounding);
    return values;
  }
  std::vector<double> peaks(const char* value) const {
    return observed().values.at(*net.graph.find_value(value)).channel_peaks;
  }

  /// Mean square of the difference between the float and the integer network, against the float one.
  double integer_error(Net of, bool equalized) const {
    const quantize::Options options = without_clipping();
    const std::vector<Tensor> expected = evaluate(of.graph, input);
    if (equalized) equalize_channels(of.graph, observe_channels(of.graph, input), options);
    quantize::quantize_graph(of.graph, observe_channels(of.graph, input), options);
    const QuantParams& quant = *of.graph.value(of.data).type.quant;
    const double scale = of.graph.value(of.graph.outputs()[0]).type.quant->scale.at(0);
    double error = 0, power = 0;
    const int64_t size = input.elements() / input.shape().n();
    for (int64_t n = 0; n < input.shape().n(); ++n) {
      Tensor sample(input.shape().with_batch(1));
      std::copy_n(input.data<float>() + n * size, size, sample.data<float>());
      const IntegerNet run(of.graph, integers_of(quantize::quantize_input(sample, quant)));
      const Integers& y = run[of.graph.outputs()[0]];
      for (size_t i = 0; i < y.size(); ++i) {
        const double x = expected[0].span<float>()[static_cast<size_t>(n) * y.size() + i];
        error += std::pow(x - scale * static_cast<double>(y[i]), 2);
        power += x * x;
      }
    }
    return error / power;
  }
};

TEST_F(EqualizeChannels, ADepthwiseReaderLeavesEveryChannelItsFullRange) {
  const ValueId x = net.depthwise("dw", net.conv("conv", net.data, 4, 1), 3);
  net.graph.set_outputs({net.conv("last", x, 2, 1)});
  spread("conv", {1, 0.5F, 0.1F, 0.2F});
  EXPECT_GE(equalize(), 1);
  const std::vector<double> after = peaks("conv");
  EXPECT_THAT(after, Each(DoubleNear(after[0], 1e-4 * after[0])));
}

TEST_F(EqualizeChannels, AFactorIsAtMost32) {
  const ValueId x = net.depthwise("dw", net.conv("conv", net.data, 2, 1), 3);
  net.graph.set_outputs({x});
  spread("conv", {1, 1e-4F});
  const std::vector<double> before = peaks("conv");
  EXPECT_EQ(equalize(), 1);
  EXPECT_NEAR(peaks("conv")[1] / before[1], kLargestFactor, 1e-3);
}

TEST_F(EqualizeChannels, ADeadChannelKeepsItsWeights) {
  net.graph.set_outputs({net.depthwise("dw", net.conv("conv", net.data, 3, 1), 3)});
  spread("conv", {1, 0, 0.1F});
  const float reader = net.parameter("dw", 1)[9];
  EXPECT_EQ(equalize(), 1);
  EXPECT_EQ(net.parameter("dw", 1)[9], reader);
}

/// Factors of both channels of "conv" when ten samples reach these, the second on average so far and spread
/// so much.
std::pair<double, double> factors(Net& net, std::array<double, 2> peaks, double mean, double deviation) {
  quantize::Ranges ranges = observe_channels(net.graph, random_tensor(Shape{10, 3, 8, 8}, net.rng, -1, 1));
  quantize::Statistics& s = ranges.values.at(*net.graph.find_value("conv"));
  s.channel_peaks = {peaks[0], peaks[1]};
  s.channel_peak_sums = {10 * peaks[0], 10 * mean};
  s.channel_peak_squares = {10 * peaks[0] * peaks[0], 10 * mean * mean + 9 * deviation * deviation};
  const double first = net.parameter("conv", 1)[0], second = net.parameter("conv", 1)[3];
  equalize_channels(net.graph, ranges, without_clipping());
  return {net.parameter("conv", 1)[0] / first, net.parameter("conv", 1)[3] / second};
}

TEST_F(EqualizeChannels, AChannelThatVariesHasRoomForAThousandSamples) {
  net.graph.set_outputs({net.depthwise("dw", net.conv("conv", net.data, 2, 1), 3)});
  // Gumbel: mean + deviation sqrt(6) / pi ln(1000) = 0.15771.
  Net steady = net;
  EXPECT_NEAR(factors(steady, {1, 0.1}, 0.1, 0).second, 10, 1e-4);
  EXPECT_NEAR(factors(net, {1, 0.1}, 0.05, 0.02).second, 1 / 0.15771, 1e-3);
}

TEST_F(EqualizeChannels, RoomEndsAtTheBound) {
  net.graph.set_outputs({net.depthwise("dw", net.conv("conv", net.data, 2, 1), 3)});
  bound("conv", 0, 1);
  // 0.5 + 0.2 sqrt(6) / pi ln(1000) = 1.58 is more than can be.
  const auto [first, second] = factors(net, {0.5, 0.6}, 0.5, 0.2);
  EXPECT_NEAR(first, 2, 1e-4);
  EXPECT_EQ(second, 1);
}

TEST_F(EqualizeChannels, ABoundFollowsTheChannelsThatReachIt) {
  net.graph.set_outputs({net.depthwise("dw", net.conv("conv", net.data, 3, 1), 3)});
  for (float& bias : net.parameter("conv", 2)) bias += 2;
  bound("conv", 0, 0.7F);
  spread("conv", {1, 1, 0.1F});
  ASSERT_THAT(peaks("conv"), ElementsAre(DoubleNear(0.7, 1e-6), DoubleNear(0.7, 1e-6), ::testing::Lt(0.4)));
  EXPECT_EQ(equalize(), 1);
  EXPECT_FLOAT_EQ(net.node("conv").clamp->hi, 0.7F);
  EXPECT_THAT(peaks("conv"), Each(DoubleNear(0.7, 1e-6)));
}

TEST_F(EqualizeChannels, ABoundThatNoChannelReachesBecomesTheLargestValue) {
  net.graph.set_outputs({net.depthwise("dw", net.conv("conv", net.data, 2, 1), 3)});
  bound("conv", 0, 6000);
  spread("conv", {1, 0.1F});
  const double largest = peaks("conv")[0];
  EXPECT_EQ(equalize(), 1);
  EXPECT_NEAR(net.node("conv").clamp->hi, largest, 1e-4 * largest);
}

TEST_F(EqualizeChannels, ABoundThatChannelsWithDifferentFactorsReachIsLeftAlone) {
  // Both channels reach 0.5 in "a"; behind the sum they differ, and would get different factors.
  const ValueId a = net.conv("a", net.data, 2, 1), b = net.conv("b", net.data, 2, 1);
  net.graph.set_outputs({net.depthwise("dw", net.sum("sum", {a, b}), 3)});
  bound("a", 0, 0.1F);
  spread("b", {20, 0.5F});
  ASSERT_THAT(peaks("a"), Each(DoubleNear(0.1, 1e-6)));
  EXPECT_EQ(equalize(), 0);
  EXPECT_EQ(net.node("a").clamp->hi, 0.1F);
}

TEST_F(EqualizeChannels, ChannelsThatBecomePixelsOfOneAreTied) {
  const ValueId a = net.conv("a", net.pool("pool", net.data, ops::Pooling::Average, 8), 8, 1);
  const ValueId map = net.reshape("map", a, {2, 2, 2});
  net.graph.set_outputs({net.fc("fc", net.conv("b", map, 2, 2), 2)});
  spread("a", {0.01F, 1, 1, 1, 0.01F, 0.02F, 0.01F, 0.01F});
  const std::vector<double> before = peaks("a");
  equalize();
  const std::vector<double> after = peaks("a");
  for (const size_t first : {size_t{0}, size_t{4}})
    for (size_t c = first; c < first + 4; ++c)
      EXPECT_NEAR(after[c] / before[c], after[first] / before[first], 1e-4 * after[first] / before[first])
          << c;
  EXPECT_GT(after[4] / before[4], 2 * after[0] / before[0]);
}

TEST_F(EqualizeChannels, TiesWhatSumsPoolsAndConcatenationsCarry) {
  const ValueId a = net.conv("a", net.data, 2, 1), b = net.conv("b", net.data, 2, 1);
  const ValueId sum = net.pool("pool", net.sum("sum", {a, b}, {1, -2}), ops::Pooling::Average, 2);
  const ValueId both =
      net.concat("both", {sum, net.pool("other", net.conv("c", net.data, 1, 1), ops::Pooling::Max, 2)});
  net.graph.set_outputs({net.depthwise("dw", net.scaling("scaled", both, {1, 2, 3}), 3)});
  spread("a", {1, 0.1F});
  spread("b", {1, 0.1F});
  EXPECT_EQ(equalize(), 8);  // a, b, sum, pool, c, other, both, scaled
}

TEST_F(EqualizeChannels, AnFcReadsAllPixelsOfAChannel) {
  const ValueId x = net.pool("pool", net.conv("conv", net.data, 3, 1), ops::Pooling::Max, 4);
  net.graph.set_outputs({net.fc("fc", net.reshape("flat", x, {1, 1, -1}), 5)});
  spread("conv", {1, 0.02F, 0.3F});
  const std::span<float> w = net.parameter("fc", 1);  // 5 outputs x 3 channels x 4 pixels
  for (size_t i = 0; i < w.size(); ++i) w[i] *= i / 4 % 3 == 1 ? 50.0F : 1.0F;
  EXPECT_EQ(equalize(), 3);
}

TEST_F(EqualizeChannels, LeavesWhatTheWorldSeesAndWhatCameWithScales) {
  // The input of the network, an output of the network, a nonlinear reader, a value and weights with scales.
  const ValueId seen = net.depthwise("seen", net.data, 1);
  const ValueId given = net.depthwise("given", seen, 1), product = net.depthwise("product", given, 1);
  ops::ElemWise prod;
  prod.operation = ops::ElemWiseOperation::Prod;
  const ValueId multiplied = net.layer("multiplied", prod, {product, product});
  const ValueId before = net.depthwise("before", multiplied, 1);
  net.graph.set_outputs({seen, net.depthwise("weights", before, 1)});
  for (const char* name : {"seen", "given", "product", "before"}) spread(name, {1, 0.1F, 0.01F});
  TensorType type = net.graph.value(given).type;
  type.quant = QuantParams{8, true, -1, {0.1F}};
  net.graph.set_type(given, type);
  const ValueId weights = net.node("weights").inputs[1];
  Tensor same = *net.graph.value(weights).constant;
  net.graph.set_constant(weights, std::move(same), QuantParams{8, true, -1, {0.1F}});
  EXPECT_EQ(equalize(), 0);
}

TEST_F(EqualizeChannels, MakesTheIntegerNetworkMoreExact) {
  const ValueId x = net.depthwise("dw", net.conv("conv", net.data, 8, 1), 3);
  net.graph.set_outputs({net.conv("last", x, 4, 1)});
  bound("conv", 0, 6);
  bound("dw", 0, 6);
  spread("conv", {1, 0.3F, 0.03F, 0.05F, 0.2F, 0.1F, 0.6F, 0.05F});
  const std::span<float> dw = net.parameter("dw", 1);
  for (size_t i = 0; i < dw.size(); ++i) dw[i] /= net.parameter("conv", 1)[i / 9 * 3];
  EXPECT_LT(integer_error(net, true), 0.5 * integer_error(net, false));
}

TEST(EqualizeChannelsOfAnyNetwork, TheFloatFunctionStays) {
  const log::Capture quiet;
  int changed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomNet random(seed, RandomNet::Kind::Integer);
    Net& net = random.net();
    passes::run(net.graph, passes::float_pipeline());
    const Tensor input = random_tensor(net.graph.value(net.data).type.shape.with_batch(3), net.rng, -1, 1);
    const std::vector<Tensor> before = evaluate(net.graph, input);
    changed +=
        equalize_channels(net.graph, observe_channels(net.graph, input), without_clipping()) > 0 ? 1 : 0;
    ASSERT_LT(distance(before, evaluate(net.graph, input)), kFloatRounding) << "seed " << seed;
  }
  EXPECT_GT(changed, 50);
}

}  // namespace
}  // namespace n2d2::testing
