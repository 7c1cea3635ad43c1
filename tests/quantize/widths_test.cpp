// Do layers of fewer bits have the integers of the closed form?
#include "n2d2/tensor/widths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"
#include "n2d2/quantize/check_integers.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::quantize_graph;
using ::testing::Each;
using ::testing::ElementsAre;
constexpr float kInf = std::numeric_limits<float>::infinity();

/// data (2) -> conv 1x1 (2, rectifier) -> fc (1), with numbers that are exact in binary.
struct FewBits : ::testing::Test {
  Net net{Shape{1, 2, 1, 1}};
  NamedRanges ranges = ranges_of({{"data", {0, 1}}, {"conv", {0, 1.5}}, {"fc", {-4, 3}}});
  quantize::Options options = without_clipping();

  FewBits() {
    net.graph.set_outputs({net.fc("fc", net.conv("conv", net.data, 2, 1), 1)});
    net.graph.set_clamp(net.node("conv").id, Clamp{0, kInf});
    const std::vector<float> conv{0.875, -0.5, 0.25, 0.06F}, biases{0.125, -0.0625};
    std::copy(conv.begin(), conv.end(), net.parameter("conv", 1).begin());
    std::copy(biases.begin(), biases.end(), net.parameter("conv", 2).begin());
  }
  quantize::QuantReport quantize() {
    quantize::QuantReport report = quantize_graph(net.graph, ranges.of(net.graph), options);
    graph::verify(net.graph);
    Diagnostics findings;
    quantize::check_types(net.graph, {}, findings);
    EXPECT_FALSE(findings.has_errors());
    return report;
  }
  Integers constant(const char* node, size_t slot) const {
    return integers_of(*net.graph.value(net.node(node).inputs.at(slot)).constant);
  }
};

TEST_F(FewBits, WeightsStandInTheUpperBitsOfBytes) {
  options.widths.others.weights = 4;
  const quantize::QuantReport report = quantize();
  // 7 W / w_o, times 16; w = 0.875 and 0.25.
  EXPECT_THAT(constant("conv", 1), ElementsAre(112, -64, 112, 32));
  // b 112 255 / w_o: 4080 and -7140, sixteen times as fine as weights of a byte's lower half would have them.
  EXPECT_THAT(constant("conv", 2), ElementsAre(4080, -7140));
  EXPECT_EQ(report.layers.at(1).weight_bits, 4);
  EXPECT_EQ(report.layers.at(1).bits, 8);
  EXPECT_FLOAT_EQ(report.layers.at(1).weight_scales.at(0), 0.875F / 112);
}

TEST_F(FewBits, WeightsOfALayerHaveTheBitsOfItsName) {
  options.widths = {{4, 0}, {{"fc", {8, 0}}, {"conv", {2, 0}}}};
  const quantize::QuantReport report = quantize();
  EXPECT_THAT(constant("conv", 1), ElementsAre(64, -64, 64, 0));
  EXPECT_EQ(report.layers.at(1).weight_bits, 2);
  EXPECT_EQ(report.layers.at(2).weight_bits, 8);
}

TEST_F(FewBits, ValuesReachFewerSteps) {
  options.widths.layers["conv"].activations = 4;
  const quantize::QuantReport report = quantize();
  const TensorType& type = net.graph.value(*net.graph.find_value("conv")).type;
  EXPECT_EQ(type.dtype, DataType::U8);
  EXPECT_FLOAT_EQ(type.quant->scale[0], 0.1F);  // 1.5 of 15 steps
  EXPECT_EQ(net.node("conv").rescale->lo, 0);
  EXPECT_EQ(net.node("conv").rescale->hi, 15);
  EXPECT_EQ(report.layers.at(1).bits, 4);
  EXPECT_EQ(report.layers.at(2).bits, 8);
}

TEST_F(FewBits, SignedValuesReachTheLowestOfTheirWidth) {
  net.graph.set_clamp(net.node("conv").id, {});
  ranges.values["conv"].smallest = ranges.values["conv"].min = -1.5;
  options.widths.others.activations = 3;
  quantize();
  EXPECT_FLOAT_EQ(net.graph.value(*net.graph.find_value("conv")).type.quant->scale[0], 0.5F);
  EXPECT_EQ(net.node("conv").rescale->lo, -4);
  EXPECT_EQ(net.node("conv").rescale->hi, 3);
}

TEST_F(FewBits, ValuesOfALayerMayHave16BitsBesideBytesOfWeights) {
  options.widths.layers["conv"].activations = 16;
  const quantize::QuantReport report = quantize();
  const TensorType& conv = net.graph.value(*net.graph.find_value("conv")).type;
  EXPECT_EQ(conv.dtype, DataType::U16);
  EXPECT_FLOAT_EQ(conv.quant->scale[0], 1.5F / 65535);
  EXPECT_EQ(net.node("conv").rescale->hi, 65535);
  EXPECT_THAT(constant("conv", 1), ElementsAre(127, -73, 127, 30));
  for (const char* node : {"conv", "fc"}) {
    EXPECT_EQ(net.graph.value(net.node(node).inputs.at(1)).type.dtype, DataType::I8) << node;
    EXPECT_EQ(net.graph.value(net.node(node).inputs.at(2)).type.dtype, DataType::I32) << node;
  }
  EXPECT_EQ(net.graph.value(*net.graph.find_value("fc")).type.dtype, DataType::I8);
  EXPECT_EQ(report.layers.at(1).bits, 16);
  EXPECT_EQ(report.layers.at(2).accumulator_bits, 32);
}

TEST_F(FewBits, ValuesOf12BitsReachAsManyStepsOf16) {
  options.widths.layers["conv"].activations = 12;
  EXPECT_EQ(quantize().layers.at(1).bits, 12);
  EXPECT_EQ(net.graph.value(*net.graph.find_value("conv")).type.dtype, DataType::U16);
  EXPECT_EQ(net.node("conv").rescale->hi, 4095);
}

TEST_F(FewBits, BytesHoldWeightsOfANetworkOf16Bits) {
  options.bits = 16;
  options.widths.layers = {{"conv", {8, 0}}, {"fc", {4, 8}}};
  quantize();
  const auto type = [&](const char* node, size_t slot) {
    return net.graph.value(net.node(node).inputs.at(slot)).type.dtype;
  };
  EXPECT_EQ(type("conv", 1), DataType::I8);
  EXPECT_EQ(type("conv", 2), DataType::I32);
  EXPECT_EQ(type("fc", 0), DataType::U16);
  EXPECT_EQ(type("fc", 1), DataType::I8);
  EXPECT_EQ(net.graph.value(*net.graph.find_value("fc")).type.dtype, DataType::I8);
}

TEST_F(FewBits, WordsHoldNarrowValuesThatWordsOfWeightsMake) {
  options.bits = 16;
  options.widths.layers["conv"].activations = 8;
  quantize();
  EXPECT_EQ(net.graph.value(*net.graph.find_value("conv")).type.dtype, DataType::U16);
  EXPECT_EQ(net.node("conv").rescale->hi, 255);
}

/// 127 x 65535 x taps is more than 31 bits hold from 259 taps on.
TEST(Widths, SumsHave64BitsWhereThoseOfTheLayerNeedThem) {
  for (const int channels : {258, 259}) {
    Net net{Shape{1, 2, 1, 1}};
    const ValueId conv = net.conv("conv", net.data, channels, 1);
    net.graph.set_outputs({net.fc("fc", conv, 1)});
    net.graph.set_clamp(net.node("conv").id, Clamp{0, kInf});
    for (float& w : net.parameter("fc", 1)) w = 1;
    for (float& b : net.parameter("fc", 2)) b = 0;
    const NamedRanges ranges = ranges_of({{"data", {0, 1}}, {"conv", {0, 1}}, {"fc", {-4, 3}}});
    quantize::Options options = without_clipping();
    options.widths.layers["conv"].activations = 16;
    const quantize::QuantReport report = quantize_graph(net.graph, ranges.of(net.graph), options);
    EXPECT_EQ(net.graph.value(net.node("fc").inputs.at(2)).type.dtype,
              channels == 258 ? DataType::I32 : DataType::I64);
    EXPECT_EQ(report.layers.at(2).accumulator_bits, channels == 258 ? 32 : 64);
    EXPECT_EQ(net.graph.value(net.node("conv").inputs.at(2)).type.dtype, DataType::I32);
    Diagnostics findings;
    quantize::check_types(net.graph, {}, findings);
    EXPECT_FALSE(findings.has_errors());
  }
}

TEST(Widths, DepthwiseLayersKeepTheirBitsUnlessTheyAreNamed) {
  const Widths widths{{4, 0}, {{"dw", {3, 0}}}};
  EXPECT_EQ(widths.weights("conv", false, 8), 4);
  EXPECT_EQ(widths.weights("other", true, 8), 8);
  EXPECT_EQ(widths.weights("dw", true, 8), 3);
  EXPECT_EQ(widths.activations("conv", 8), 8);
}

TEST(Widths, BranchesOfAConcatenationKeepToTheirSteps) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId narrow = net.conv("narrow", net.data, 2, 1), wide = net.conv("wide", net.data, 2, 1);
  net.graph.set_outputs({net.concat("join", {narrow, wide})});
  NamedRanges ranges =
      ranges_of({{"data", {-1, 1}}, {"narrow", {-1, 1}}, {"wide", {-1, 1}}, {"join", {-1, 1}}});
  quantize::Options options = without_clipping();
  options.widths.layers["narrow"].activations = 4;
  quantize_graph(net.graph, ranges.of(net.graph), options);
  graph::verify(net.graph);
  const graph::Node& node = net.node("narrow");
  EXPECT_LE(node.rescale->hi - node.rescale->lo, 15);
}

}  // namespace
}  // namespace n2d2::testing
