// Outputs of 16 and 32 bits: their scale, what they hold, and where there are none.
#include "n2d2/quantize/wide_outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"
#include "n2d2/quantize/check_integers.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A float has 24 bits, and so has a scale.
constexpr double kFloatStep = 1e-6;

const Tensor& sample() {
  static const Tensor tensor = [] {
    Rng rng(3, "sample");
    return random_tensor(Shape{1, 3, 4, 4}, rng, 0, 1);
  }();
  return tensor;
}

struct WideOutputs : ::testing::Test {
  Net net{Shape{1, 3, 4, 4}};

  quantize::QuantReport run(ValueId output, int bits, int of_layers = 8) {
    net.graph.set_outputs({output});
    quantize::Options options = without_clipping(of_layers);
    options.output_bits = {bits};
    auto report = quantize::quantize_graph(net.graph, observe(net.graph, sample()), options);
    graph::verify(net.graph);
    Diagnostics findings;
    quantize::check_types(net.graph, {"net.graph", 0}, findings);
    findings.finish<ModelError>();
    return report;
  }
  const TensorType& type(ValueId id) const { return net.graph.value(id).type; }
  /// Real value of integer i of a value for these inputs.
  double real(ValueId id, const Integers& input, size_t i = 0) const {
    return static_cast<double>(IntegerNet(net.graph, input)[id].at(i)) *
           static_cast<double>(type(id).quant->scale[0]);
  }
  Integers inputs() const {
    Integers out;
    for (const float x : sample().span<float>()) out.push_back(std::llround(x * 255 / largest()));
    return out;
  }
  static double largest() {
    return *std::max_element(sample().span<float>().begin(), sample().span<float>().end());
  }
  std::string why_not(ValueId output) {
    net.graph.set_outputs({output});
    return quantize::wide_chain(net.graph, output).why_not;
  }
};

TEST_F(WideOutputs, In32BitsDifferentSumsAreDifferentIntegers) {
  const ValueId fc = net.fc("fc", net.data, 5);
  run(fc, 32);
  EXPECT_EQ(type(fc).dtype, DataType::I32);
  EXPECT_EQ(type(fc).quant->bits, 32);
  EXPECT_TRUE(type(fc).quant->is_signed);
  const Rescale& rescale = *net.node("fc").rescale;
  EXPECT_EQ(rescale.mode, RescaleMode::FixedPoint32);
  Integers more = inputs();
  more[7] = more[7] == 255 ? 254 : more[7] + 1;  // the smallest step of one of 48 inputs
  const IntegerNet a(net.graph, inputs()), b(net.graph, more);
  for (size_t o = 0; o < 5; ++o) EXPECT_NE(a[fc][o], b[fc][o]) << o;
}

TEST_F(WideOutputs, In32BitsTheyAreTheSumsInRealUnits) {
  const ValueId fc = net.fc("fc", net.data, 5);
  run(fc, 32);
  const TensorType& weights = net.graph.value(net.node("fc").inputs[1]).type;
  const Integers w = integers_of(*net.graph.value(net.node("fc").inputs[1]).constant),
                 b = integers_of(*net.graph.value(net.node("fc").inputs[2]).constant), x = inputs();
  for (size_t o = 0; o < 5; ++o) {
    int64_t sum = b[o];
    for (size_t i = 0; i < x.size(); ++i) sum += w[o * x.size() + i] * x[i];
    const double step =
        static_cast<double>(type(net.data).quant->scale[0]) * static_cast<double>(weights.quant->scale[o]);
    EXPECT_NEAR(real(fc, x, o), static_cast<double>(sum) * step,
                std::abs(static_cast<double>(sum) * step) * kFloatStep)
        << o;
  }
}

TEST_F(WideOutputs, In32BitsTheLargestSumThatCanOccurStillFits) {
  const ValueId fc = net.fc("fc", net.data, 1, false);
  const quantize::QuantReport report = run(fc, 32);
  const Integers w = integers_of(*net.graph.value(net.node("fc").inputs[1]).constant);
  Integers largest;
  for (const int64_t weight : w) largest.push_back(weight > 0 ? 255 : 0);
  Integers smallest;
  for (const int64_t weight : w) smallest.push_back(weight > 0 ? 0 : 255);
  const IntegerNet high(net.graph, largest), low(net.graph, smallest);
  const Rescale& rescale = *net.node("fc").rescale;
  EXPECT_LT(high[fc][0], rescale.hi);
  EXPECT_GT(low[fc][0], rescale.lo);
  EXPECT_GT(high[fc][0] - low[fc][0], int64_t{1} << 30);  // and little room is wasted
  EXPECT_EQ(report.layers.back().clipping, "sums");
  EXPECT_EQ(report.layers.back().bits, 32);
}

TEST_F(WideOutputs, In16BitsTwiceWhatSamplesReachIsKept) {
  const ValueId fc = net.fc("fc", net.data, 5);
  net.graph.set_outputs({fc});
  const double reached = observe(net.graph, sample()).values.at(fc).maxabs();
  run(fc, 16);
  EXPECT_EQ(type(fc).dtype, DataType::I16);
  EXPECT_DOUBLE_EQ(type(fc).quant->threshold_of(), 2 * reached);
}

TEST_F(WideOutputs, ARectifierAtTheEndStays) {
  const ValueId fc = net.fc("fc", net.data, 5);
  net.graph.set_clamp(net.node("fc").id, Clamp{0, 0.25F});
  run(fc, 32);
  const Rescale& rescale = *net.node("fc").rescale;
  EXPECT_EQ(rescale.lo, 0);
  EXPECT_NEAR(static_cast<double>(rescale.hi) * static_cast<double>(type(fc).quant->scale[0]), 0.25,
              0.25 * kFloatStep);
}

TEST_F(WideOutputs, AScalingReachesItsLargestFactorTimesItsInput) {
  const auto reach = [&](std::vector<double> factors) {
    net = Net(Shape{1, 3, 4, 4});
    const ValueId scaled = net.scaling("scaled", net.data, std::move(factors));
    run(scaled, 32);
    return static_cast<double>(type(scaled).quant->scale[0]) * INT32_MAX;
  };
  EXPECT_NEAR(reach({0.25, -0.5, 0.125}), 0.5 * largest(), kFloatStep);
  EXPECT_NEAR(reach({2, 0, -3}), 3 * largest(), 3 * kFloatStep);
  EXPECT_NEAR(reach({0, 0, 0}), 1, kFloatStep);
}

TEST_F(WideOutputs, AverageSumAndScalingHaveThemToo) {
  const ValueId a = net.conv("a", net.data, 3, 1), b = net.conv("b", net.data, 3, 1);
  const ValueId sum = net.sum("sum", {a, b}, {1, -0.5});
  run(sum, 32);
  const IntegerNet of_sum(net.graph, inputs());
  const auto scale = [&](ValueId id) { return static_cast<double>(type(id).quant->scale[0]); };
  for (size_t i = 0; i < 48; ++i)
    EXPECT_NEAR(
        static_cast<double>(of_sum[sum][i]) * scale(sum),
        static_cast<double>(of_sum[a][i]) * scale(a) - 0.5 * static_cast<double>(of_sum[b][i]) * scale(b),
        1e-5);

  Net other(Shape{1, 3, 4, 4});
  const ValueId pool = other.pool("pool", other.data, ops::Pooling::Average, 4);
  net = std::move(other);
  run(pool, 32);
  const IntegerNet of_pool(net.graph, inputs());
  for (size_t c = 0; c < 3; ++c) {
    int64_t taps = 0;
    for (size_t i = 0; i < 16; ++i) taps += inputs()[c * 16 + i];
    EXPECT_NEAR(static_cast<double>(of_pool[pool][c]) * scale(pool),
                static_cast<double>(taps) * scale(net.data) / 16, 1e-5);
  }

  Net third(Shape{1, 3, 4, 4});
  const ValueId scaled = third.scaling("scaled", third.data, {1, 0.001, -3});
  net = std::move(third);
  run(scaled, 32);
  EXPECT_NEAR(real(scaled, inputs(), 16), 0.001 * static_cast<double>(inputs()[16]) * scale(net.data), 1e-8);
}

TEST_F(WideOutputs, WhatOnlyMovesThemFollows) {
  const ValueId conv = net.conv("conv", net.data, 2, 4), flat = net.reshape("flat", conv, {1, 1, 2});
  run(flat, 32);
  EXPECT_EQ(type(conv), [&] {
    TensorType same = type(flat);
    same.shape = type(conv).shape;
    return same;
  }());
  EXPECT_EQ(type(flat).dtype, DataType::I32);
}

TEST_F(WideOutputs, LayersOf16BitsHaveOutputsOf32) {
  const ValueId fc = net.fc("fc", net.data, 5);
  run(fc, 32, 16);
  EXPECT_EQ(type(fc).dtype, DataType::I32);
  EXPECT_EQ(type(net.data).dtype, DataType::U16);
}

TEST_F(WideOutputs, ALayerWithoutWeightsHasNoScaleOfZero) {
  const ValueId fc = net.fc("fc", net.data, 2, false);
  net.parameter("fc", 1)[0] = 0;
  for (float& w : net.parameter("fc", 1)) w = 0;
  run(fc, 32);
  EXPECT_THAT(IntegerNet(net.graph, inputs())[fc], ElementsAre(0, 0));
}

TEST_F(WideOutputs, NotWhereTheLayersHaveAsManyBits) {
  const ValueId fc = net.fc("fc", net.data, 5);
  run(fc, 16, 16);
  EXPECT_EQ(net.node("fc").rescale->mode, RescaleMode::FloatingPoint);
}

TEST_F(WideOutputs, NamesWhatStandsInTheWay) {
  const ValueId fc = net.fc("fc", net.data, 5);
  EXPECT_EQ(why_not(fc), "");
  EXPECT_EQ(why_not(net.data), "'data' is the input of the network");
  const ValueId a = net.conv("a", net.data, 3, 1), b = net.conv("b", net.data, 3, 1);
  EXPECT_EQ(why_not(net.concat("join", {a, b})), "[join] Concat adds nothing up");
  EXPECT_EQ(why_not(a), "[join] Concat reads 'a', too");
  const ValueId c = net.conv("c", net.data, 3, 1);
  EXPECT_EQ(why_not(net.pool("max", c, ops::Pooling::Max, 2)), "[max] Pool adds nothing up");
  ops::ElemWise product;
  product.operation = ops::ElemWiseOperation::Prod;
  EXPECT_EQ(why_not(net.layer("gate", product, {net.data, net.data})), "[gate] ElemWise has no sums");
  EXPECT_EQ(why_not(net.layer("soft", ops::Softmax(), {net.data})), "[soft] Softmax has no sums");
  const ValueId d = net.conv("d", net.data, 2, 4);
  const ValueId flat = net.reshape("flat", d, {1, 1, 2});
  EXPECT_EQ(why_not(flat), "");
  net.reshape("again", d, {1, 1, 2});
  EXPECT_EQ(why_not(flat), "'d' has several readers");
  TensorType given = net.graph.value(fc).type;
  given.quant = QuantParams{8, true, -1, {0.5F}};
  net.graph.set_type(fc, given);
  EXPECT_EQ(why_not(fc), "the scale of 'fc' comes with the model");
}

TEST_F(WideOutputs, OfAGraphOfIntegersAreCheckedLikeAllOthers) {
  const ValueId conv = net.conv("conv", net.data, 2, 4), fc = net.fc("fc", conv, 3);
  run(fc, 32);
  const auto findings_of = [&] {
    Diagnostics findings;
    quantize::check_types(net.graph, {"net.graph", 0}, findings);
    try {
      findings.finish<ModelError>();
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(findings_of(), "none");
  EXPECT_EQ(quantize::rescaling_of(net.graph), RescaleMode::FloatingPoint);
  TensorType narrow = type(fc);
  narrow.dtype = DataType::I16;
  net.graph.set_type(fc, narrow);
  EXPECT_THAT(findings_of(), HasSubstr("'fc': expected i32, got i16"));
  narrow.dtype = DataType::I32;
  net.graph.set_type(fc, narrow);
  TensorType inner = type(conv);
  inner.quant->bits = 32;
  inner.dtype = DataType::I32;
  net.graph.set_type(conv, inner);
  EXPECT_THAT(findings_of(), HasSubstr("'conv': expected 8 or 16 bits, got 32"));
}

}  // namespace
}  // namespace n2d2::testing
