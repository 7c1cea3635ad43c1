// A model that was quantized before keeps its integers.
#include "n2d2/quantize/given_scales.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/transpose.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::adopt_given_scales;
using quantize::quantize_graph;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
constexpr float kInf = std::numeric_limits<float>::infinity();

ValueId rounded(Net& net, const std::string& name, ValueId in, double scale, bool is_signed = true,
                int zero = 0) {
  ops::FakeQuantize op;
  op.scale = {scale};
  op.zero_point = {zero};
  op.is_signed = is_signed;
  return net.layer(name, op, {in});
}

/// Weights and biases of a layer as multiples of these scales, and the weights say so.
void give_weights(Net& net, const std::string& node, const std::vector<float>& scales,
                  const std::vector<int>& weights, double in_scale, const std::vector<int>& biases) {
  const graph::Node& layer = net.node(node);
  const size_t row = weights.size() / biases.size();
  Tensor w(net.graph.value(layer.inputs[1]).type.shape), b(Shape{static_cast<int64_t>(biases.size())});
  const auto scale = [&](size_t o) { return scales.size() == 1 ? scales[0] : scales[o]; };
  for (size_t i = 0; i < weights.size(); ++i)
    w.span<float>()[i] = static_cast<float>(weights[i]) * scale(i / row);
  for (size_t o = 0; o < biases.size(); ++o)
    b.span<float>()[o] = static_cast<float>(biases[o] * in_scale * static_cast<double>(scale(o)));
  net.graph.set_constant(layer.inputs[1], std::move(w),
                         QuantParams{8, true, scales.size() == 1 ? -1 : 0, scales});
  net.graph.set_constant(layer.inputs[2], std::move(b));
}

std::string adoption_errors(Net& net, const quantize::Options& options = without_clipping()) {
  try {
    adopt_given_scales(net.graph, options);
  } catch (const ExportError& error) {
    return error.what();
  }
  return "none";
}

const TensorType& type(const Net& net, const char* value) {
  return net.graph.value(*net.graph.find_value(value)).type;
}

std::vector<std::string> types(const Net& net) {
  std::vector<std::string> out;
  for (const NodeId id : net.graph.schedule()) out.emplace_back(net.graph.op(id).type());
  return out;
}

TEST(GivenScales, TheIntegersAreThoseOfTheFile) {
  Net net{Shape{1, 2, 1, 1}};
  const ValueId in = rounded(net, "in", net.data, 0.1, false);
  const ValueId conv = rounded(net, "conv_q", net.conv("conv", in, 2, 1), 0.3, false);
  net.graph.set_outputs({rounded(net, "out", net.fc("fc", conv, 2), 0.7)});
  // The largest weights are not 127: nothing but the file says what a step is. -128 is one of its integers.
  give_weights(net, "conv", {0.02F, 0.5F}, {100, -128, 3, 7}, 0.1F, {1000, -5});
  give_weights(net, "fc", {0.25F}, {1, -2, 90, 4}, 0.3F, {11, -12});
  EXPECT_TRUE(quantize::has_given_scales(net.graph));
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Fc"));
  EXPECT_THAT(quantize::values_without_scale(net.graph), IsEmpty());
  const auto report = quantize_graph(net.graph, {}, without_clipping());
  graph::verify(net.graph);
  const auto constant = [&](const char* node, size_t slot) {
    return integers_of(*net.graph.value(net.node(node).inputs.at(slot)).constant);
  };
  EXPECT_THAT(constant("conv", 1), ElementsAre(100, -128, 3, 7));
  EXPECT_THAT(constant("conv", 2), ElementsAre(1000, -5));
  EXPECT_THAT(constant("fc", 1), ElementsAre(1, -2, 90, 4));
  EXPECT_THAT(constant("fc", 2), ElementsAre(11, -12));
  EXPECT_THAT(type(net, "data").quant->scale, ElementsAre(0.1F));
  EXPECT_FALSE(type(net, "data").quant->is_signed);
  EXPECT_THAT(type(net, "conv").quant->scale, ElementsAre(0.3F));
  EXPECT_THAT(type(net, "fc").quant->scale, ElementsAre(0.7F));
  EXPECT_THAT(net.node("conv").rescale->factor, ElementsAre(0.1F * 0.02F / 0.3F, 0.1F * 0.5F / 0.3F));
  EXPECT_THAT(report.layers.at(1).weight_scales, ElementsAre(0.02F, 0.5F));
  EXPECT_EQ(report.layers.at(1).clipping, "model");
  EXPECT_THAT(report.layers.at(1).notes, IsEmpty());
}

TEST(GivenScales, ZeroPointsAreExactWhereTheRestFitsAnInteger) {
  const auto sign_of = [](int zero, bool is_signed, bool rectified) -> std::string {
    Net net{Shape{1, 2, 2, 2}};
    ValueId conv = net.conv("conv", rounded(net, "in", net.data, 0.1), 2, 1);
    if (rectified) net.graph.set_clamp(net.node("conv").id, Clamp{0, kInf});
    net.graph.set_outputs({net.conv("last", rounded(net, "out", conv, 0.5, is_signed, zero), 2, 1)});
    if (const std::string errors = adoption_errors(net); errors != "none") return errors;
    const auto& clamp = net.node("conv").clamp;
    return fmt::format("{} {} {}", type(net, "conv").quant->is_signed ? "signed" : "unsigned",
                       clamp ? clamp->lo : -kInf, clamp ? clamp->hi : kInf);
  };
  EXPECT_EQ(sign_of(0, true, false), "signed -64 63.5");
  EXPECT_EQ(sign_of(0, false, false), "unsigned 0 127.5");
  EXPECT_EQ(sign_of(-128, true, false), "unsigned 0 127.5");
  EXPECT_EQ(sign_of(128, false, false), "signed -64 63.5");
  EXPECT_EQ(sign_of(-28, true, true), "unsigned 0 77.5");
  EXPECT_EQ(sign_of(3, false, true), "unsigned 0 126");
  EXPECT_EQ(sign_of(3, false, false), "signed -1.5 126") << "with larger steps";
}

TEST(GivenScales, AZeroPointThatEndsTheNetworkIsLeftOut) {
  Net net{Shape{1, 2, 2, 2}};
  ops::Reshape flat;
  flat.dims = {1, 1, 8};
  const ValueId scores =
      rounded(net, "scores", net.conv("conv", rounded(net, "in", net.data, 0.1), 2, 1), 0.5, true, 58);
  net.graph.set_outputs({net.layer("flat", flat, {scores})});
  const log::Capture captured;
  EXPECT_EQ(adoption_errors(net), "none");
  EXPECT_THAT(types(net), ElementsAre("Conv", "Reshape"));
  EXPECT_FALSE(type(net, "conv").quant);
  EXPECT_THAT(captured.text(),
              HasSubstr("[scores] FakeQuantize ends the network and is left out: its integers have zero "
                        "point 58"));
  // 32 bits hold the largest sum that can occur: nothing is measured for them.
  EXPECT_THAT(quantize::values_without_scale(net.graph), ElementsAre("conv"));
  const std::vector<int> wide{32}, narrow{16};
  EXPECT_THAT(quantize::values_without_scale(net.graph, wide), IsEmpty());
  EXPECT_THAT(quantize::values_without_scale(net.graph, narrow), ElementsAre("conv"));
  quantize::Options options = without_clipping();
  options.output_bits = wide;
  quantize_graph(net.graph, {}, options);
  EXPECT_EQ(type(net, "conv").quant->bits, 32);
}

TEST(GivenScales, AnotherReaderKeepsTheStepsOfAnOutput) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId conv =
      rounded(net, "conv_q", net.conv("conv", rounded(net, "in", net.data, 0.1), 2, 1), 0.5, true, 58);
  net.graph.set_outputs({conv, rounded(net, "out", net.conv("last", conv, 2, 1), 0.5)});
  EXPECT_EQ(adoption_errors(net), "none");
  EXPECT_EQ(type(net, "conv").quant, (QuantParams{8, true, -1, {0.5F * 186 / 128}}));
  EXPECT_EQ(net.node("conv").clamp, (Clamp{-93, 34.5F}));
}

ValueId bounded(Net& net, const std::string& name, ValueId in, double scale, int least, int most,
                bool is_signed) {
  ops::FakeQuantize op;
  op.scale = {scale};
  op.is_signed = is_signed;
  op.bounds = {least, most};
  return net.layer(name, op, {in});
}

TEST(GivenScales, FewerIntegersThanTheWidthHasAreAClampOfTheLayer) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId conv = net.conv("conv", rounded(net, "in", net.data, 0.1), 2, 1);
  const ValueId small = bounded(net, "small", conv, 0.5, -7, 7, true);
  net.graph.set_outputs({bounded(net, "out", net.conv("last", small, 2, 1), 0.25, 0, 15, false)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Conv"));
  EXPECT_EQ(type(net, "conv").quant, (QuantParams{8, true, -1, {0.5F}}));
  EXPECT_EQ(net.node("conv").clamp, (Clamp{-3.5F, 3.5F}));
  EXPECT_EQ(type(net, "last").quant, (QuantParams{8, false, -1, {0.25F}}));
  EXPECT_EQ(net.node("last").clamp, (Clamp{0, 3.75F}));
}

TEST(GivenScales, ALayerBehindAnInputOfFewerIntegersClipsThem) {
  Net net{Shape{1, 2, 2, 2}};
  net.graph.set_outputs(
      {rounded(net, "out", net.conv("conv", bounded(net, "in", net.data, 0.1, -7, 7, true), 2, 1), 0.5)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Scaling", "Conv"));
  for (const char* value : {"data", "in"})
    EXPECT_EQ(type(net, value).quant, (QuantParams{8, true, -1, {0.1F}})) << value;
  EXPECT_EQ(net.node("in").clamp, (Clamp{-7 * 0.1F, 7 * 0.1F}));
  quantize_graph(net.graph, {}, without_clipping());
  graph::verify(net.graph);
}

TEST(GivenScales, GoThroughLayersThatOnlyMoveIntegers) {
  Net net{Shape{1, 2, 4, 4}};
  const ValueId in = rounded(net, "in", net.data, 0.1);
  const ValueId a = net.pool("pool", net.conv("a", in, 2, 1), ops::Pooling::Max, 2);
  const ValueId b =
      net.pool("average", rounded(net, "b_q", net.conv("b", in, 2, 1), 0.2), ops::Pooling::Average, 2);
  net.graph.set_outputs({rounded(net, "out", net.concat("cat", {a, b}), 0.3)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Pool", "Conv", "Pool", "Concat"));
  EXPECT_THAT(type(net, "a").quant->scale, ElementsAre(0.3F));
  EXPECT_THAT(type(net, "b").quant->scale, ElementsAre(0.2F));
  EXPECT_THAT(type(net, "average").quant->scale, ElementsAre(0.3F));
  EXPECT_THAT(quantize::values_without_scale(net.graph), IsEmpty());
  quantize_graph(net.graph, {}, without_clipping());
  EXPECT_THAT(type(net, "cat").quant->scale, ElementsAre(0.3F));
}

TEST(GivenScales, AnotherScaleForTheSameValueIsALayerOfItsOwn) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId in = rounded(net, "in", net.data, 0.1);
  const ValueId conv = rounded(net, "conv_q", net.conv("conv", in, 2, 1), 0.2);
  const ValueId coarse = rounded(net, "coarse", conv, 0.4), same = rounded(net, "same", conv, 0.2);
  net.graph.set_outputs({rounded(net, "out", net.sum("sum", {coarse, same}), 0.5)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Scaling", "ElemWise"));
  EXPECT_THAT(type(net, "conv").quant->scale, ElementsAre(0.2F));
  EXPECT_THAT(type(net, "coarse").quant->scale, ElementsAre(0.4F));
}

TEST(GivenScales, AReshapeInFrontOfAnFcGoes) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId conv = rounded(net, "conv_q", net.conv("conv", rounded(net, "in", net.data, 0.1), 2, 1), 0.2);
  ops::Reshape flat;
  flat.dims = {1, 1, 8};
  net.graph.set_outputs({rounded(
      net, "out", net.fc("fc", rounded(net, "flat_q", net.layer("flat", flat, {conv}), 0.2), 3), 1)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Fc"));
}

TEST(GivenScales, BranchesOfAConcatenationKeepTheirScales) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId in = rounded(net, "in", net.data, 0.1);
  const ValueId a = rounded(net, "a_q", net.conv("a", in, 2, 1), 0.2),
                b = rounded(net, "b_q", net.conv("b", in, 2, 1), 0.3);
  net.graph.set_outputs({rounded(net, "out", net.concat("cat", {a, b}), 0.3)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Conv", "Scaling", "Concat"));
  EXPECT_THAT(type(net, "a").quant->scale, ElementsAre(0.2F));
  EXPECT_THAT(type(net, "b").quant->scale, ElementsAre(0.3F));
}

TEST(GivenScales, ARectifiedBranchJoinsAPlainOneOnTheGridOfTheFile) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId in = rounded(net, "in", net.data, 0.1);
  const ValueId a = net.conv("a", in, 2, 1), b = net.conv("b", in, 2, 1);
  net.graph.set_clamp(net.node("a").id, Clamp{0, kInf});
  net.graph.set_outputs({rounded(net, "out", net.concat("cat", {a, b}), 0.3, false, 128)});
  adopt_given_scales(net.graph, without_clipping());
  quantize_graph(net.graph, {}, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Conv", "Concat"));
  for (const char* value : {"a", "b", "cat"})
    EXPECT_EQ(type(net, value).quant, (QuantParams{8, true, -1, {0.3F}})) << value;
}

TEST(GivenScales, AJoinOfScalesThatNothingRoundsAgainIsReported) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId in = rounded(net, "in", net.data, 0.1);
  const ValueId a = rounded(net, "a_q", net.conv("a", in, 2, 1), 0.2),
                b = rounded(net, "b_q", net.conv("b", in, 2, 1), 0.3);
  net.graph.set_outputs({rounded(net, "out", net.conv("c", net.concat("cat", {a, b}), 2, 1), 0.5)});
  adopt_given_scales(net.graph, without_clipping());
  const log::Capture captured;
  quantize_graph(net.graph, {}, without_clipping());
  EXPECT_THAT(captured.text(), HasSubstr("[cat] Concat: branch 'a' comes with another scale or sign"));
  EXPECT_THAT(type(net, "cat").quant->scale, ElementsAre(0.3F));
}

TEST(GivenScales, LayersThatARoundingKeptApartCancelOrFuse) {
  Net net{Shape{1, 2, 3, 3}};
  ops::Transpose turn;
  turn.perm = {1, 0, 2, 3};
  const ValueId in = rounded(net, "in", net.data, 0.1);
  const ValueId there = rounded(net, "there_q", net.layer("there", turn, {net.conv("a", in, 2, 1)}), 0.2);
  const ValueId back = net.layer("back", turn, {there});
  const ValueId padded = rounded(net, "padded_q", net.padding("padded", back, {1, 1, 1, 1}), 0.2);
  net.graph.set_outputs({rounded(net, "out", net.conv("b", padded, 2, 3), 0.5)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Conv"));
}

TEST(GivenScales, AClampStaysOnTheGridItReads) {
  Net net{Shape{1, 2, 3, 3}};
  const ValueId conv = rounded(net, "q", net.conv("a", rounded(net, "in", net.data, 0.1), 2, 1), 0.2);
  net.graph.set_outputs({net.relu("relu", conv)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(quantize::values_without_scale(net.graph), IsEmpty());
  EXPECT_THAT(type(net, "relu").quant->scale, ElementsAre(0.2F));
}

TEST(GivenScales, WeightsOfEightBitsStayThemselvesInAWiderExport) {
  Net net{Shape{1, 2, 1, 1}};
  ops::FakeQuantize wide;
  wide.scale = {0.001};
  wide.bits = 16;
  const ValueId in = net.layer("in", wide, {net.data});
  net.graph.set_outputs({net.layer("out", wide, {net.fc("fc", in, 1)})});
  give_weights(net, "fc", {0.25F}, {100, -128}, 0.001F, {7});
  adopt_given_scales(net.graph, without_clipping(16));
  quantize_graph(net.graph, {}, without_clipping(16));
  EXPECT_THAT(integers_of(*net.graph.value(net.node("fc").inputs[1]).constant), ElementsAre(100, -128));
  EXPECT_EQ(net.graph.value(net.node("fc").inputs[1]).type.dtype, DataType::I8);
}

TEST(GivenScales, ABatchNormScalesTheStepsOfItsLayer) {
  Net net{Shape{1, 2, 1, 1}};
  const ValueId fc = net.conv("conv", rounded(net, "in", net.data, 0.1), 2, 1);
  const ValueId norm = net.batchnorm("norm", fc);
  net.graph.set_outputs({rounded(net, "out", norm, 0.5)});
  give_weights(net, "conv", {0.25F}, {100, -128, 5, 6}, 0.1F, {0, 0});
  constexpr std::string_view kPasses[] = {"fuse_batchnorm"};
  passes::run(net.graph, kPasses);
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(quantize::weights_without_scale(net.graph), IsEmpty());
  quantize_graph(net.graph, {}, without_clipping());
  EXPECT_THAT(integers_of(*net.graph.value(net.node("conv").inputs[1]).constant),
              ElementsAre(100, -128, 5, 6));
}

TEST(GivenScales, WeightsOfOneMagnitudeNeedNone) {
  Net net{Shape{1, 2, 1, 1}};
  net.graph.set_outputs({net.conv("conv", rounded(net, "in", net.data, 0.1), 3, 1)});
  const auto floats = [&](const std::vector<float>& weights) {
    std::copy(weights.begin(), weights.end(), net.parameter("conv", 1).begin());
    return quantize::weights_without_scale(net.graph);
  };
  EXPECT_THAT(floats({0, 1, 1, 0, 0, 0}), IsEmpty());
  EXPECT_THAT(floats({0, 1, -0.25F, 0.25F, 0, 0}), IsEmpty());
  EXPECT_THAT(floats({0, 1, 1, 0, 1, 0.5F}), ElementsAre("conv"));
}

/// A Conv of four outputs whose weights came with a scale, behind it a BatchNorm of these factors.
Net normalized_behind(const std::vector<float>& gammas, int bits, const std::vector<int>& weights) {
  Net net{Shape{1, 2, 1, 1}};
  const ValueId norm = net.batchnorm("norm", net.conv("conv", rounded(net, "in", net.data, 0.1), 4, 1));
  net.graph.set_outputs({rounded(net, "out", norm, 0.5)});
  give_weights(net, "conv", {0.25F}, weights, 0.1F, {0, 0, 0, 0});
  TensorType type = net.graph.value(net.node("conv").inputs[1]).type;
  type.quant->bits = bits;
  net.graph.set_type(net.node("conv").inputs[1], std::move(type));
  for (size_t o = 0; o < gammas.size(); ++o) {
    net.parameter("norm", 1)[o] = gammas[o];
    net.parameter("norm", 4)[o] = 1;
  }
  return net;
}

std::vector<int64_t> weights_of(Net& net) {
  constexpr std::string_view kPasses[] = {"fuse_batchnorm"};
  passes::run(net.graph, kPasses);
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(quantize::weights_without_scale(net.graph), IsEmpty());
  quantize_graph(net.graph, {}, without_clipping());
  graph::verify(net.graph);
  return integers_of(*net.graph.value(net.node("conv").inputs[1]).constant);
}

TEST(GivenScales, ANegativeFactorOfABatchNormChangesTheSignOfIntegers) {
  Net net = normalized_behind({2, -3, -0.5F, 0}, 8, {100, -128, 5, 6, -128, 127, 7, -127});
  EXPECT_THAT(weights_of(net), ElementsAre(100, -128, -5, -6, -128, 127, 0, 0));
  const QuantParams& quant = *net.graph.value(net.node("conv").inputs[1]).type.quant;
  EXPECT_GT(quant.scale[1], 0);
  EXPECT_LT(quant.scale[2], 0) << "-128 has no integer of the other sign";
  EXPECT_FLOAT_EQ(quant.scale[1] / quant.scale[2], -6);
  EXPECT_GT(quant.scale[3], 0);
  EXPECT_LT(net.node("conv").rescale->factor[2], 0);
}

TEST(GivenScales, FewBitsStandInTheUpperBitsOfBytes) {
  Net net = normalized_behind({1, 1, -1, 1}, 4, {7, -8, 5, 6, -7, 3, 0, 1});
  EXPECT_THAT(weights_of(net), ElementsAre(112, -128, 80, 96, 112, -48, 0, 16));
  const graph::Node& conv = net.node("conv");
  EXPECT_FLOAT_EQ(net.graph.value(conv.inputs[1]).type.quant->scale[0], 0.25F / 16 / std::sqrt(1 + 1e-5F));
}

TEST(GivenScales, TheLowestOfFewBitsChangesItsSignInOneBitMore) {
  Net net = normalized_behind({1, 1, -1, 1}, 4, {7, -8, 5, 6, -8, 3, 0, 1});
  EXPECT_THAT(weights_of(net), ElementsAre(56, -64, 40, 48, 64, -24, 0, 8));
}

TEST(GivenScales, ValuesThatAreReadAsTheyAreKeepTheirOwn) {
  Net net{Shape{1, 2, 2, 2}};
  const ValueId conv = net.conv("conv", rounded(net, "in", net.data, 0.1), 2, 1);
  const ValueId round = rounded(net, "q", conv, 0.2);
  net.graph.set_outputs({rounded(net, "out", net.sum("sum", {conv, round}), 0.5)});
  adopt_given_scales(net.graph, without_clipping());
  EXPECT_THAT(types(net), ElementsAre("Conv", "Scaling", "ElemWise"));
  EXPECT_THAT(quantize::values_without_scale(net.graph), ElementsAre("conv"));
}

TEST(GivenScales, RefuseWhatHasNoExactFormAllAtOnce) {
  Net net{Shape{1, 2, 2, 2}};
  ops::FakeQuantize channels;
  channels.scale = {0.1, 0.2};
  const ValueId conv = net.conv("conv", net.layer("in", channels, {net.data}), 2, 1);
  net.graph.set_outputs({net.conv("last", net.layer("between", channels, {conv}), 1, 1)});
  const std::string errors = adoption_errors(net);
  EXPECT_THAT(errors, HasSubstr("net.ini:7: [in] FakeQuantize: its channels have scales of their own"));
  EXPECT_THAT(errors, HasSubstr("[between] FakeQuantize: its channels have scales of their own"));

  Net narrow{Shape{1, 2, 2, 2}};
  narrow.graph.set_outputs({narrow.conv("conv", rounded(narrow, "in", narrow.data, 0.1), 2, 1)});
  EXPECT_THAT(
      adoption_errors(narrow, without_clipping(4)),
      HasSubstr("[in] FakeQuantize: the model rounds to 8 bits, the export is of 4\n  hint: '-nbbits 8'"));

  Net positive{Shape{1, 2, 2, 2}};
  positive.graph.set_outputs(
      {positive.conv("conv", rounded(positive, "in", positive.data, 0.1, false), 2, 1)});
  quantize::Options options = without_clipping();
  options.allow_unsigned = false;
  EXPECT_THAT(adoption_errors(positive, options), HasSubstr("unsigned integers, which -no-unsigned forbids"));
}

/// A float sum and an integer one may fall on different sides of a tie, which then passes through a few
/// layers.
constexpr double kSteps = 1.001;

TEST(GivenScales, TheIntegerNetworkIsTheRoundedFloatNetwork) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Net net{Shape{1, 3, 6, 6}, seed};
    const auto scale = [&] { return net.rng.uniform(0.005, 0.02); };
    const auto give = [&](const std::string& node, double in_scale) {
      std::vector<int> weights, biases;
      const Shape shape = net.graph.value(net.node(node).inputs[1]).type.shape;
      for (int64_t i = 0; i < shape.elements(); ++i)
        weights.push_back(static_cast<int>(net.rng.uniform(-128, 128)));
      for (int64_t o = 0; o < shape[0]; ++o) biases.push_back(static_cast<int>(net.rng.uniform(-2000, 2000)));
      give_weights(net, node, {static_cast<float>(scale())}, weights, in_scale, biases);
    };
    const double s_in = scale(), s_a = scale() * 4, s_b = scale() * 4;
    const ValueId in = rounded(net, "in", net.data, s_in);
    const ValueId a = rounded(net, "a_q", net.conv("a", in, 4, 3), s_a, false);
    const ValueId b =
        rounded(net, "b_q", net.conv("b", net.pool("pool", a, ops::Pooling::Max, 2), 4, 1), s_b);
    const ValueId c =
        rounded(net, "c_q", net.pool("mean", a, ops::Pooling::Average, 2), scale() * 2, true, -128);
    net.graph.set_outputs({rounded(net, "out", net.sum("sum", {b, c}), scale() * 4)});
    net.graph.set_clamp(net.node("a").id, Clamp{0, kInf});
    give("a", static_cast<double>(static_cast<float>(s_in)));
    give("b", static_cast<double>(static_cast<float>(s_a)));
    const Tensor x = random_tensor(Shape{1, 3, 6, 6}, net.rng);
    const Tensor wanted = evaluate_all(net.graph, x).at(net.graph.outputs()[0]);
    adopt_given_scales(net.graph, without_clipping());
    quantize_graph(net.graph, {}, without_clipping());
    const QuantParams& quant = *type(net, "data").quant;
    const Integers found =
        IntegerNet(net.graph, integers_of(quantize::quantize_input(x, quant)))[net.graph.outputs()[0]];
    const double step = static_cast<double>(net.graph.value(net.graph.outputs()[0]).type.quant->scale[0]);
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(wanted.span<float>()[i]) / step, kSteps)
          << "seed " << seed << ", element " << i;
  }
}

TEST(GivenScales, SumsMayReachTheLargestIntegerOfTheAccumulator) {
  const auto export_with = [](int bias) {
    Net net{Shape{1, 519, 1, 1}};
    net.graph.set_outputs({rounded(net, "out", net.fc("fc", rounded(net, "in", net.data, 1, false), 1), 1)});
    std::vector<int> weights(519, 127);
    weights.back() = 7;
    give_weights(net, "fc", {1}, weights, 1, {bias});
    adopt_given_scales(net.graph, without_clipping());
    quantize_graph(net.graph, {}, without_clipping());
  };
  constexpr int kBias = 127 << 24;  // and 255 * (518 * 127 + 7) are 2^31 - 1
  EXPECT_NO_THROW(export_with(kBias));
  EXPECT_THROW(export_with(kBias + 128), ExportError);  // the next float
}

TEST(GivenScales, WeightsOfAnotherWidthOrTooLargeSumsAreRefused) {
  Net net{Shape{1, 2, 1, 1}};
  net.graph.set_outputs({rounded(net, "out", net.fc("fc", rounded(net, "in", net.data, 1e-6), 1), 1)});
  give_weights(net, "fc", {1e-6F}, {1, 1}, 1e-6, {0});
  net.graph.set_constant(net.node("fc").inputs[2], Tensor::from(Shape{1}, {1e4F}));
  adopt_given_scales(net.graph, without_clipping());
  try {
    quantize_graph(net.graph, {}, without_clipping());
    FAIL();
  } catch (const ExportError& error) {
    EXPECT_THAT(error.what(), HasSubstr("with the scales of the model, sums reach 1e+16, more than"));
  }
}

}  // namespace
}  // namespace n2d2::testing
