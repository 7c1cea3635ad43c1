// Are integers those of the closed form, computed by hand?
#include "n2d2/quantize/quantize_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"
#include "n2d2/quantize/clipping.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::quantize_graph;
using ::testing::ElementsAre;
constexpr float kInf = std::numeric_limits<float>::infinity();

void set(std::span<float> parameter, std::vector<float> values) {
  ASSERT_EQ(parameter.size(), values.size());
  std::copy(values.begin(), values.end(), parameter.begin());
}

/// data (2) -> conv 1x1 (2, rectifier) -> fc (2), with numbers that are exact in binary.
struct TwoLayers {
  Net net{Shape{1, 2, 1, 1}};
  NamedRanges ranges = ranges_of({{"data", {0, 1}}, {"conv", {0, 2}}, {"fc", {-4, 3}}});

  TwoLayers() {
    net.graph.set_outputs({net.fc("fc", net.conv("conv", net.data, 2, 1), 2)});
    net.graph.set_clamp(net.node("conv").id, Clamp{0, kInf});
    set(net.parameter("conv", 1), {0.5, -0.25, 0.125, 0});
    set(net.parameter("conv", 2), {0.1F, -0.0625});
    set(net.parameter("fc", 1), {1, -1, 0.5, 0.25});
    set(net.parameter("fc", 2), {0.5, -0.75});
  }
  Integers constant(const char* node, size_t slot) const {
    return integers_of(*net.graph.value(net.node(node).inputs.at(slot)).constant);
  }
  const TensorType& type(const char* value) const {
    return net.graph.value(*net.graph.find_value(value)).type;
  }
};

TEST(QuantizeGraph, GivesTheIntegersOfTheClosedForm) {
  TwoLayers two;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  graph::verify(two.net.graph);
  // 127 W / w_o with w = 0.5 and 0.125; -63.5 goes away from zero. b 127 255 / (1 w_o), -16192.5 likewise.
  EXPECT_THAT(two.constant("conv", 1), ElementsAre(127, -64, 127, 0));
  EXPECT_THAT(two.constant("conv", 2), ElementsAre(6477, -16193));
  // w = 1 and 0.5, b 127 255 / (2 w_o): 8096.25 and -24288.75.
  EXPECT_THAT(two.constant("fc", 1), ElementsAre(127, -127, 127, 64));
  EXPECT_THAT(two.constant("fc", 2), ElementsAre(8096, -24289));
  const IntegerNet run(two.net.graph, {255, 128});
  EXPECT_THAT(run["conv"], ElementsAre(60, 8));  // 30670 * 0.25/127 = 60.37, 16192 * 0.0625/127 = 7.97
  EXPECT_THAT(run["fc"], ElementsAre(29, -16));  // 14700 * 0.5/255 = 28.8, -16157 * 0.25/255 = -15.8
}

TEST(QuantizeGraph, WritesTypesAndScales) {
  TwoLayers two;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  EXPECT_EQ(two.type("data").dtype, DataType::U8);
  EXPECT_EQ(two.type("data").quant, (QuantParams{8, false, -1, {1.0F / 255}}));
  EXPECT_EQ(two.type("conv").dtype, DataType::U8);
  EXPECT_EQ(two.type("conv").quant, (QuantParams{8, false, -1, {2.0F / 255}}));
  EXPECT_EQ(two.type("fc").dtype, DataType::I8);
  EXPECT_EQ(two.type("fc").quant, (QuantParams{8, true, -1, {4.0F / 127}}));
  EXPECT_EQ(two.type("conv_weights").dtype, DataType::I8);
  EXPECT_EQ(two.type("conv_weights").quant, (QuantParams{8, true, 0, {0.5F / 127, 0.125F / 127}}));
  EXPECT_EQ(two.type("conv_biases").dtype, DataType::I32);
  EXPECT_EQ(two.type("conv_biases").quant->scale[1], (1.0F / 255) * (0.125F / 127));
  EXPECT_EQ(two.type("conv_biases").quant->bits, 32);
}

TEST(QuantizeGraph, ComputesFactorsInFloatLeftToRight) {
  TwoLayers two;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  const float in = 1.0F / 255, out = 2.0F / 255, w0 = 0.5F / 127, w1 = 0.125F / 127;
  const Rescale& conv = *two.net.node("conv").rescale;
  EXPECT_EQ(conv.mode, RescaleMode::FloatingPoint);
  EXPECT_THAT(conv.factor, ElementsAre((in * w0) / out, (in * w1) / out));
  EXPECT_EQ(conv.lo, 0);
  EXPECT_EQ(conv.hi, 255);
  EXPECT_TRUE(conv.multiplier.empty());
  const Rescale& fc = *two.net.node("fc").rescale;
  EXPECT_EQ(fc.lo, -128);
  EXPECT_EQ(fc.hi, 127);
}

TEST(QuantizeGraph, DerivesFixedPointInDouble) {
  TwoLayers two;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping(8, RescaleMode::FixedPoint32));
  // M = 0.25/127 and 0.0625/127: f = floor(log2((2^31 - 1) 127 / 0.25)) = 39.
  const Rescale& conv = *two.net.node("conv").rescale;
  EXPECT_EQ(conv.shift, 39);
  EXPECT_THAT(conv.multiplier, ElementsAre(1082196484, 270549121));
  EXPECT_TRUE(conv.factor.empty());
  // M = 0.5/255 and 0.25/255: f = floor(log2((2^31 - 1) 255 / 0.5)) = floor(39.99).
  const Rescale& fc = *two.net.node("fc").rescale;
  EXPECT_EQ(fc.shift, 39);
  EXPECT_THAT(fc.multiplier, ElementsAre(1077952576, 538976288));
}

TEST(QuantizeGraph, HasOneWeightScaleALayerWhenAsked) {
  TwoLayers two;
  quantize::Options options = without_clipping();
  options.per_output = false;
  const auto report = quantize_graph(two.net.graph, two.ranges.of(two.net.graph), options);
  EXPECT_THAT(two.constant("conv", 1), ElementsAre(127, -64, 32, 0));  // 31.75
  EXPECT_THAT(two.constant("conv", 2), ElementsAre(6477, -4048));      // -4048.125
  EXPECT_EQ(two.type("conv_weights").quant, (QuantParams{8, true, -1, {0.5F / 127}}));
  EXPECT_EQ(two.net.node("conv").rescale->factor.size(), 2U);
  EXPECT_EQ(two.net.node("conv").rescale->factor[0], two.net.node("conv").rescale->factor[1]);
  EXPECT_EQ(report.layers[1].weight_scales.size(), 1U);
}

TEST(QuantizeGraph, UsesWiderTypesAboveEightBits) {
  TwoLayers two;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping(16));
  EXPECT_EQ(two.type("data").dtype, DataType::U16);
  EXPECT_EQ(two.type("fc").dtype, DataType::I16);
  EXPECT_EQ(two.type("conv_weights").dtype, DataType::I16);
  EXPECT_EQ(two.type("conv_biases").dtype, DataType::I64);
  EXPECT_THAT(two.constant("conv", 1), ElementsAre(32767, -16384, 32767, 0));
  // 0.1F * 32767 * 65535 / 0.5 and -0.0625 * 32767 * 65535 / 0.125 = -1073692672.5.
  EXPECT_THAT(two.constant("conv", 2), ElementsAre(429477075, -1073692673));
}

TEST(QuantizeGraph, TakesTernaryWeights) {
  TwoLayers two;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping(2));
  EXPECT_THAT(two.constant("conv", 1), ElementsAre(1, -1, 1, 0));
  EXPECT_EQ(two.net.node("conv").rescale->hi, 3);
  EXPECT_EQ(two.net.node("fc").rescale->lo, -2);
}

/// Means of the two channels of "data" over two samples.
void give_means(NamedRanges& ranges, double first, double second) {
  quantize::Statistics& data = ranges.values.at("data");
  data.count = 4;
  data.channel_sums = {2 * first, 2 * second};
}

TEST(QuantizeGraph, BiasesMakeUpForRoundedWeights) {
  TwoLayers two;
  give_means(two.ranges, 0.5, 0.25);
  const auto report = quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  // -0.25 became -64 steps of 0.5/127: 0.0019685 less, times 0.25 on average. (0.1 + 0.00049213) 127 255 /
  // 0.5.
  EXPECT_THAT(two.constant("conv", 1), ElementsAre(127, -64, 127, 0));
  EXPECT_THAT(two.constant("conv", 2), ElementsAre(6509, -16193));
  EXPECT_NEAR(report.layers[1].bias_correction, 0.25 * (64.0 / 254 - 0.25), 1e-9);
  EXPECT_EQ(report.layers[2].bias_correction, 0) << "its input has no means";
}

TEST(QuantizeGraph, WeightsThatWereClippedAreMadeUpForToo) {
  TwoLayers two;
  give_means(two.ranges, 1, 0);
  quantize::Options options = without_clipping(2);
  options.per_output = false;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), options);
  // One bit and a sign: 0.125 becomes 0, and its mean goes to the bias of output 1: (-0.0625 + 0.125) 3 /
  // 0.5.
  EXPECT_THAT(two.constant("conv", 1), ElementsAre(1, -1, 0, 0));
  EXPECT_EQ(two.constant("conv", 2)[1], 0) << "0.375 rounded";
}

TEST(QuantizeGraph, AllKernelsOfALayerMeetTheMeansOfTheirChannels) {
  // Depthwise, grouped and full: the mean over samples of constant maps is what it was before rounding.
  for (const int groups : {1, 2, 4}) {
    Net net{Shape{1, 4, 3, 3}};
    ops::Conv op;
    op.kernel = {2, 2};
    op.nb_outputs = 4;
    op.groups = groups;
    net.graph.set_outputs({net.conv("conv", net.data, op, false)});
    const graph::Graph floats = net.graph;
    NamedRanges ranges = ranges_of({{"data", {0, 1}}, {"conv", {-16, 16}}});
    quantize::Statistics& data = ranges.values.at("data");
    Tensor x(Shape{1, 4, 3, 3});
    const std::vector<float> levels{1, 51.0F / 255, 102.0F / 255, 0};
    for (int64_t i = 0; i < x.elements(); ++i)
      x.span<float>()[static_cast<size_t>(i)] = levels[static_cast<size_t>(i / 9)];
    data.count = 36;
    for (const float level : levels) data.channel_sums.push_back(9 * double{level});
    quantize_graph(net.graph, ranges.of(net.graph), without_clipping(4));
    const auto& node = net.node("conv");
    ASSERT_EQ(node.inputs.size(), 3U) << "a layer without biases gets some";
    const auto& bias = *net.graph.value(node.inputs[2]).constant;
    const auto& quant = *net.graph.value(node.inputs[2]).type.quant;
    const Integers w = integers_of(*net.graph.value(node.inputs[1]).constant), b = integers_of(bias);
    const Tensor wanted = evaluate_all(floats, x).at(floats.outputs()[0]);
    const size_t row = w.size() / 4;
    for (size_t o = 0; o < 4; ++o) {
      double sum = static_cast<double>(b[o]);
      for (size_t i = 0; i < row; ++i) {
        const size_t channel = o / (4 / static_cast<size_t>(groups)) * (row / 4) + i / 4;
        sum += static_cast<double>(w[o * row + i]) * double{levels[channel]} * 15;
      }
      const double step = static_cast<double>(quant.scale[o]);
      EXPECT_NEAR(sum * step, static_cast<double>(wanted.span<float>()[o * 4]), 0.501 * step)
          << groups << ", " << o;
    }
  }
}

TEST(QuantizeGraph, RefusesToQuantizeTwice) {
  TwoLayers two;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  EXPECT_THROW(quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping()),
               InternalError);
}

TEST(QuantizeGraph, HasOnlySignedValuesWhenAsked) {
  TwoLayers two;
  quantize::Options options = without_clipping();
  options.allow_unsigned = false;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), options);
  EXPECT_EQ(two.type("data").dtype, DataType::I8);
  EXPECT_EQ(two.type("conv").quant, (QuantParams{8, true, -1, {2.0F / 127}}));
  EXPECT_EQ(two.net.node("conv").rescale->lo, 0);
  EXPECT_EQ(two.net.node("conv").rescale->hi, 127);
}

TEST(QuantizeGraph, TreatsAnInputWithANegativeSampleAsSigned) {
  TwoLayers two;
  two.ranges.values["data"].smallest = two.ranges.values["data"].min = -0.5;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  EXPECT_EQ(two.type("data").quant, (QuantParams{8, true, -1, {1.0F / 127}}));
}

TEST(QuantizeGraph, GivesDeadChannelsAndSilentValuesTheScaleOne) {
  TwoLayers two;
  set(two.net.parameter("conv", 1), {0.5, -0.25, 0, 0});
  two.ranges.values["fc"] = {};
  const auto report = quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  EXPECT_EQ(two.type("conv_weights").quant->scale[1], 1.0F / 127);
  EXPECT_THAT(two.constant("conv", 2), ElementsAre(6477, -2024));  // -0.0625 * 127 * 255
  EXPECT_EQ(two.type("fc").quant->scale[0], 1.0F / 127);
  EXPECT_THAT(report.layers[1].dead_outputs, ElementsAre(1));
  EXPECT_THAT(report.layers[1].notes, ElementsAre("all weights are 0 for output 1"));
}

TEST(QuantizeGraph, DoublesTheWeightScaleUntilTheAccumulatorFits) {
  TwoLayers two;
  const float tiny = std::ldexp(1.0F, -20);
  set(two.net.parameter("conv", 1), {0.5, -0.25, tiny, -tiny});
  set(two.net.parameter("conv", 2), {0.1F, 1});
  const auto report = quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  // b_int = 32385 * 2^20 = 1.58 2^34: four times w_o is the first that fits below 2^31 with 254 * 255 beside
  // it.
  EXPECT_THAT(two.constant("conv", 1), ElementsAre(127, -64, 8, -8));
  EXPECT_THAT(two.constant("conv", 2), ElementsAre(6477, 32385 * (1 << 16)));
  EXPECT_EQ(two.type("conv_weights").quant->scale[1], 16 * tiny / 127);
  EXPECT_THAT(report.layers[1].doubled_outputs, ElementsAre(1));
  EXPECT_THAT(report.layers[1].notes,
              ElementsAre("weight scale doubled so that the accumulator fits, output 1"));
  EXPECT_LE(report.layers[1].accumulator_bound, 2147483647.0);
  EXPECT_GE(report.layers[1].accumulator_headroom_bits, 0);
}

TEST(QuantizeGraph, DoublesTheScaleOfAWholeLayer) {
  TwoLayers two;
  const float tiny = std::ldexp(1.0F, -20);
  set(two.net.parameter("conv", 1), {tiny, 0, tiny, -tiny});
  set(two.net.parameter("conv", 2), {0, 1});
  quantize::Options options = without_clipping();
  options.per_output = false;
  quantize_graph(two.net.graph, two.ranges.of(two.net.graph), options);
  EXPECT_THAT(two.constant("conv", 1), ElementsAre(8, 0, 8, -8));
}

TEST(QuantizeGraph, ReportsAccumulators) {
  TwoLayers two;
  const auto report = quantize_graph(two.net.graph, two.ranges.of(two.net.graph), without_clipping());
  ASSERT_EQ(report.layers.size(), 3U);
  EXPECT_EQ(report.layers[0].type, "input");
  EXPECT_EQ(report.layers[1].name, "conv");
  EXPECT_EQ(report.layers[1].accumulator_bound, (127 + 64) * 255 + 6477);
  EXPECT_EQ(report.layers[1].accumulator_bits, 32);
  EXPECT_EQ(report.layers[2].accumulator_bound, 191 * 255 + 24289);
  EXPECT_EQ(report.layers[2].threshold, 4);
}

TEST(QuantizeGraph, ClipsWeightsWhenAsked) {
  for (const std::string& mode : quantize::weight_clipping_names()) {
    Net net(Shape{1, 400, 1, 1});
    net.graph.set_outputs({net.fc("fc", net.data, 1, false)});
    net.parameter("fc", 1)[7] = 5;
    quantize::Options options = without_clipping(4);
    options.weight_clipping = mode;
    const auto report =
        quantize_graph(net.graph, ranges_of({{"data", {0, 1}}, {"fc", {-1, 1}}}).of(net.graph), options);
    EXPECT_EQ(report.layers[1].clipped_weights, mode == "None" ? 0 : 1) << mode;
    EXPECT_EQ(report.layers[1].weight_scales[0] < 4.9F / 7, mode != "None") << mode;
  }
}

TEST(QuantizeGraph, CopiesParametersThatLayersShare) {
  Net net(Shape{1, 2, 1, 1});
  const ValueId first = net.fc("fc1", net.data, 2);
  const std::vector<ValueId> inputs = net.node("fc1").inputs;
  ops::Fc op;
  op.nb_outputs = 2;
  net.graph.set_outputs({net.layer("fc2", op, {first, inputs[1], inputs[2]})});
  quantize_graph(net.graph, ranges_of({{"data", {0, 1}}, {"fc1", {-4, 4}}, {"fc2", {-1, 1}}}).of(net.graph),
                 without_clipping());
  graph::verify(net.graph);
  EXPECT_NE(net.node("fc1").inputs[2], net.node("fc2").inputs[2]);
  EXPECT_EQ(net.graph.value(net.node("fc2").inputs[2]).type.dtype, DataType::I32);
}

// ---- other layers ----------------------------------------------------------------------------------------

struct OneLayer : ::testing::Test {
  Net net{Shape{1, 4, 4, 4}};
  NamedRanges ranges = ranges_of({{"data", {0, 2}}, {"x", {-3, 4}}});
  const Rescale& quantized(ValueId output, RescaleMode mode = RescaleMode::FloatingPoint) {
    net.graph.set_outputs({output});
    quantize_graph(net.graph, ranges.of(net.graph), without_clipping(8, mode));
    return *net.node("x").rescale;
  }
};

TEST_F(OneLayer, AveragePoolHasItsOwnThreshold) {
  const Rescale& r = quantized(net.pool("x", net.data, ops::Pooling::Average, 2));
  EXPECT_THAT(r.factor, ElementsAre(((2.0F / 255) * 0.25F) / (4.0F / 255)));
  EXPECT_EQ(net.graph.value(net.node("x").outputs[0]).type.dtype, DataType::U8);
}

TEST_F(OneLayer, AveragePoolInFixedPoint) {
  const Rescale& r = quantized(net.pool("x", net.data, ops::Pooling::Average, 2), RescaleMode::FixedPoint32);
  EXPECT_EQ(r.shift, 33);  // M = 2 / (4 * 4) = 0.125
  EXPECT_THAT(r.multiplier, ElementsAre(1 << 30));
}

TEST_F(OneLayer, ScalingHasAFactorAChannel) {
  const Rescale& r = quantized(net.scaling("x", net.data, {1, -2, 0, 0.5}));
  const float in = 2.0F / 255, out = 4.0F / 127;
  EXPECT_THAT(r.factor, ElementsAre(in * 1.0F / out, in * -2.0F / out, 0, in * 0.5F / out));
}

TEST_F(OneLayer, StandaloneRectifierIsAFactorAndBounds) {
  ranges.values["x"] = ranges.values["data"];
  ranges.values["data"].smallest = ranges.values["data"].min = -8;
  const Rescale& r = quantized(net.relu("x", net.data, 0, 1));
  EXPECT_THAT(r.factor, ElementsAre((8.0F / 127) / (2.0F / 255)));
  EXPECT_EQ(r.lo, 0);
  EXPECT_EQ(r.hi, 128);  // round(1 * 255 / 2)
}

TEST_F(OneLayer, StandaloneSaturationBoundsBothSides) {
  ranges.values["data"].smallest = ranges.values["data"].min = -8;
  const Rescale& r = quantized(net.saturation("x", net.data, 1));
  EXPECT_EQ(r.lo, -32);  // round(-1 * 127 / 4) = round(-31.75)
  EXPECT_EQ(r.hi, 32);
}

TEST_F(OneLayer, ClampNarrowsTheBoundsAndNeverWidensThem) {
  const ValueId x = net.conv("x", net.data, 4, 1);
  net.graph.set_clamp(net.node("x").id, Clamp{-1, 6});
  const Rescale& r = quantized(x);
  EXPECT_EQ(r.lo, -32);
  EXPECT_EQ(r.hi, 127);
}

TEST_F(OneLayer, SumHasAFactorAnInputAndOneShift) {
  ranges.values["y"] = {};
  ranges.values["y"].max = 1;
  const ValueId y = net.relu("y", net.data);
  net.graph.set_clamp(net.node("y").id, Clamp{0, kInf});
  const Rescale& r = quantized(net.sum("x", {net.data, y}, {1, -0.5}));
  // M = (2/4) 127/255 and -0.5 (1/4) 127/255: f = floor(log2((2^31 - 1) / 0.249)) = 33.
  EXPECT_EQ(r.mode, RescaleMode::FixedPoint32);
  EXPECT_EQ(r.shift, 33);
  const double m = std::ldexp(127.0 / 255, 33);
  EXPECT_THAT(r.multiplier, ElementsAre(std::lround(m / 2), std::lround(-m / 8)));
  EXPECT_EQ(r.lo, -128);
}

TEST_F(OneLayer, MaxPoolPaddingAndReshapeKeepTheScale) {
  ranges = ranges_of({{"data", {0, 2}}, {"max", {0, 1}}, {"pad", {0, 1}}, {"x", {-1, 1}}, {"flat", {-1, 1}}});
  ValueId v = net.pool("max", net.data, ops::Pooling::Max, 2);
  v = net.conv("x", net.padding("pad", v, {1, 1, 1, 1}), 4, 1);
  quantized(net.reshape("flat", v, {1, 1, -1}));
  const auto quant = [&](const char* name) {
    return *net.graph.value(*net.graph.find_value(name)).type.quant;
  };
  EXPECT_EQ(quant("max"), quant("data"));
  EXPECT_EQ(quant("pad"), quant("data"));
  EXPECT_EQ(quant("flat"), quant("x"));
  EXPECT_FALSE(net.node("max").rescale || net.node("pad").rescale || net.node("flat").rescale);
}

TEST_F(OneLayer, OnlyAMaxPoolBehindItLendsItsStatistics) {
  ranges.values["max"].max = 1;
  quantized(net.pool("max", net.conv("x", net.data, 4, 1), ops::Pooling::Max, 2));
  EXPECT_EQ(net.graph.value(net.node("x").outputs[0]).type.quant->scale[0], 1.0F / 127);
}

TEST_F(OneLayer, AMaxPoolBesideAnotherReaderDoesNot) {
  ranges.values["max"].max = 1;
  const ValueId x = net.conv("x", net.data, 4, 1);
  net.pool("max", x, ops::Pooling::Max, 2);
  quantized(x);
  EXPECT_EQ(net.graph.value(x).type.quant->scale[0], 4.0F / 127);
}

TEST_F(OneLayer, ReportsAFactorWithoutFixedPoint) {
  const ValueId x = net.conv("x", net.data, 4, 1), y = net.conv("y", net.data, 4, 1);
  ranges.values["sum"].max = 1e-12;
  ranges.values["x"].max = ranges.values["y"].max = 4;
  try {
    quantized(net.sum("sum", {x, y}));
    FAIL();
  } catch (const ExportError& error) {
    EXPECT_STREQ(
        error.what(),
        "net.ini:7: [sum] ElemWise: rescaling factor 4e+12 at index 0 for accumulators up to 256 does "
        "not fit Fixed-point32\n"
        "  hint: calibrate with samples that leave more of the sum of its inputs");
  }
}

TEST_F(OneLayer, FixedPointLeavesRoomForTheLargestProduct) {
  ranges.values["x"].max = 1e-4;  // M about 2 / 1e-4: the multiplier alone could have 31 bits
  ranges.values["x"].min = 0;
  net.graph.set_outputs({net.fc("x", net.data, 4)});
  const auto report =
      quantize_graph(net.graph, ranges.of(net.graph), without_clipping(16, RescaleMode::FixedPoint32));
  const Rescale& r = *net.node("x").rescale;
  const int32_t largest = *std::max_element(r.multiplier.begin(), r.multiplier.end());
  EXPECT_LT(report.layers[1].accumulator_bound * largest, std::ldexp(1, 62));
  EXPECT_GE(report.layers[1].accumulator_bound * largest, std::ldexp(1, 60));
}

TEST_F(OneLayer, ClippingModeIsForMoreThanTwoOutputsAndNeitherSumsNorInputs) {
  const auto with_histogram = [](double limit) {
    quantize::Statistics s;
    s.max = limit;
    s.histogram.emplace(-limit, limit, 1024);
    for (int i = 0; i < 100; ++i) s.histogram->insert(0.01 * i, 1000);
    s.histogram->insert(limit, 1);
    return s;
  };
  for (const char* name : {"data", "four", "two", "sum"}) ranges.values[name] = with_histogram(8);
  const ValueId four = net.conv("four", net.data, 4, 1);
  net.graph.set_outputs({net.conv("two", net.data, 2, 1), net.sum("sum", {four, four})});
  for (const char* mode : {"KL-Divergence", "MSE", "Quantile"}) {
    graph::Graph graph = net.graph;
    quantize::Options options = without_clipping(4);
    options.activation_clipping = mode;
    options.quantile = 0.9;
    const auto report = quantize_graph(graph, ranges.of(graph), options);
    const quantize::Histogram& values = *ranges.values["four"].histogram;
    for (const quantize::LayerReport& layer : report.layers) {
      EXPECT_EQ(layer.clipping, layer.name == "four" ? mode : "None") << layer.name;
      if (layer.name == "four")
        EXPECT_EQ(layer.threshold, quantize::clipping(mode, "test").threshold(values, {4, true, 0.9}));
      else
        EXPECT_EQ(layer.threshold, 8) << layer.name;
    }
    // KL counts the bins between the values and 8 that a threshold leaves out as if they were poured into the
    // last one.
    const auto four_of = std::find_if(report.layers.begin(), report.layers.end(),
                                      [](const auto& layer) { return layer.name == "four"; });
    ASSERT_NE(four_of, report.layers.end());
    EXPECT_EQ(four_of->threshold < 2, std::string_view(mode) != "KL-Divergence") << mode;
  }
}

TEST_F(OneLayer, NeedsAValueToBeCalibrated) {
  ranges.values.erase("x");
  try {
    quantized(net.conv("x", net.data, 4, 1));
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("value 'x' was not calibrated"));
  }
}

}  // namespace
}  // namespace n2d2::testing
