// Models that were quantized with zero points: which layers keep them, and what the others get.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/judge.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/quantize/check_integers.hpp"
#include "n2d2/quantize/given_scales.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::quantize_graph;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Layers = std::function<ValueId(Net&, ValueId)>;

/// Rounds as QuantizeLinear and DequantizeLinear do.
ValueId rounded(Net& net, const std::string& name, ValueId in, double scale, bool is_signed = true,
                int zero = 0) {
  ops::FakeQuantize op;
  op.scale = {scale};
  op.zero_point = {zero};
  op.is_signed = is_signed;
  return net.layer(name, op, {in});
}

std::string adoption_errors(Net& net, const quantize::Options& options) {
  try {
    quantize::adopt_given_scales(net.graph, options);
  } catch (const ExportError& error) {
    return error.what();
  }
  return "none";
}

quantize::Options given() {
  quantize::Options options = without_clipping();
  options.zero_points = true;
  return options;
}

TEST(GivenZeroPoints, OfInputsKeepTheIntegersOfTheFile) {
  for (const auto& [is_signed, zero] : {std::pair{false, 3}, std::pair{true, -10}}) {
    SCOPED_TRACE(zero);
    Net net{Shape{1, 2, 8, 8}};
    const ValueId q = rounded(net, "in", net.data, 0.02, is_signed, zero);
    ops::Conv op;
    op.nb_outputs = 3, op.kernel = {3, 3}, op.stride = {2, 2}, op.padding = {1, 1, 1, 1};
    const ValueId conv = net.conv("conv", q, op);
    net.graph.set_outputs({rounded(net, "out", conv, 0.05, true, 0)});
    Tensor x(Shape{1, 2, 8, 8});
    Integers integers;
    for (int64_t i = 0; i < x.elements(); ++i) {
      integers.push_back(i * 2 - (is_signed ? 128 : 0));
      x.data<float>()[i] = static_cast<float>(0.02 * static_cast<double>(integers.back() - zero));
    }
    const Tensor wanted = evaluate_all(net.graph, x).at(net.graph.outputs()[0]);
    ASSERT_EQ(adoption_errors(net, given()), "none");
    quantize_graph(net.graph, {}, given());
    const QuantParams& quant = *net.graph.value(net.data).type.quant;
    EXPECT_EQ(quant.zero_point, zero);
    EXPECT_EQ(quant.is_signed, is_signed);
    EXPECT_EQ(quant.scale, (std::vector<float>{0.02F}));
    EXPECT_EQ(integers_of(quantize::quantize_input(x, quant)), integers);
    const Integers found = IntegerNet(net.graph, integers)[net.graph.outputs()[0]];
    constexpr double kWeights = 1.5;  // steps: weights are rounded by the quantization
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(wanted.span<float>()[i]) / 0.05,
                  kWeights)
          << "element " << i;
  }
}

TEST(GivenZeroPoints, GoThroughLayersThatOnlyMoveIntegers) {
  Net net{Shape{1, 2, 4, 4}};
  const ValueId a = rounded(net, "a", net.data, 0.02, false, 3);
  const ValueId b = rounded(net, "b", net.reshape("flat", a, {32, 1, 1}), 0.02, false, 3);
  net.graph.set_outputs({rounded(net, "out", net.fc("fc", b, 2), 0.05, true, 0)});
  EXPECT_EQ(adoption_errors(net, given()), "none");
  EXPECT_EQ(net.graph.value(net.data).type.quant->zero_point, 3);
  EXPECT_FALSE(net.graph.find_node("b"));
}

/// A network of bytes, "in", a Conv of two channels, layers between two roundings "q" and "made", and a Conv.
Net rounded_around(const Layers& layers, int zero_of_made = 90) {
  Net net{Shape{1, 2, 6, 6}};
  const ValueId conv = net.conv("conv", rounded(net, "in", net.data, 0.02, false, 3), 2, 1);
  const ValueId made = layers(net, rounded(net, "q", conv, 0.03, false, 120));
  net.graph.set_outputs(
      {rounded(net, "out", net.conv("last", rounded(net, "made", made, 0.025, false, zero_of_made), 2, 1),
               0.05, true, 0)});
  return net;
}

/// The largest distance of the integers from the floats of the rounded network, in steps of 0.05.
double distance(Net& net, const quantize::Options& options) {
  Tensor x(Shape{1, 2, 6, 6});
  for (int64_t i = 0; i < x.elements(); ++i)
    x.data<float>()[i] = static_cast<float>(0.02 * static_cast<double>(i * 37 % 256 - 3));
  const Tensor wanted = evaluate_all(net.graph, x).at(net.graph.outputs()[0]);
  EXPECT_EQ(adoption_errors(net, options), "none");
  EXPECT_TRUE(quantize::values_without_scale(net.graph).empty());
  quantize_graph(net.graph, {}, options);
  Diagnostics findings;
  quantize::check_types(net.graph, {}, findings);
  EXPECT_FALSE(findings.has_errors());
  const auto judged =
      compute::Judge(net.graph).run(quantize::quantize_input(x, *net.graph.value(net.data).type.quant));
  const Integers found = integers_of(judged.at(net.graph.value(net.graph.outputs()[0]).name));
  double largest = 0;
  for (size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(found[i]) -
                                         static_cast<double>(wanted.span<float>()[i]) / 0.05));
  return largest;
}

std::string zeros_of(const Net& net) {
  std::string out;
  for (const NodeId id : net.graph.schedule()) {
    const graph::Node& node = net.graph.node(id);
    out += fmt::format("{} {} ", node.op->type(), net.graph.value(node.outputs[0]).type.quant->zero_point);
  }
  return out;
}

/// Steps: weights of both Convs are rounded, values are at ties.
constexpr double kNear = 2.5;

/// The layers behind adoption, each with the zero point that it makes.
std::string kept_by(const Layers& layers) {
  const log::Capture captured;
  Net net = rounded_around(layers);
  EXPECT_LT(distance(net, given()), kNear);
  EXPECT_EQ(captured.text(), "") << "nothing is left out";
  return zeros_of(net);
}

TEST(GivenZeroPoints, AreKeptByLayersThatBecomeOthers) {
  // What is left within the bounds needs no zero point, but a table from integers that have one.
  EXPECT_EQ(kept_by([](Net& n, ValueId in) { return n.relu("r", in, 0, 1.5); }), "Conv 120 PRelu 0 Conv 0 ");
  EXPECT_EQ(kept_by([](Net& n, ValueId in) { return n.relu("r", in, 0.25, 1.5); }),
            "Conv 120 PRelu 0 Conv 0 ");
  EXPECT_EQ(kept_by([](Net& n, ValueId in) { return n.relu("r", in, 0.9, 6); }), "Conv 120 PRelu 90 Conv 0 ");
  EXPECT_EQ(kept_by([](Net& n, ValueId in) { return n.saturation("s", in, 1.25); }),
            "Conv 120 PRelu 0 Conv 0 ");
  EXPECT_EQ(kept_by([](Net& n, ValueId in) { return n.saturation("s", in, 3.5); }),
            "Conv 120 PRelu 90 Conv 0 ");
  for (const std::vector<double>& factor : {std::vector<double>{-0.7}, std::vector<double>{0.3, 1.1}})
    EXPECT_EQ(kept_by([&](Net& n, ValueId in) { return n.scaling("s", in, factor); }),
              "Conv 120 Conv 90 Conv 0 ");
}

TEST(GivenZeroPoints, StandBehindLayersThatMoveValues) {
  EXPECT_EQ(kept_by([](Net& n, ValueId in) {
              return n.relu("r", n.reshape("wide", in, {36, 1, 2}), 0, 1.5);
            }),
            "Conv 120 Reshape 120 PRelu 0 Conv 0 ");
}

TEST(GivenZeroPoints, DoNotMatterToASoftmax) {
  const auto layers = [](Net& n, ValueId in) { return n.softmax("s", in); };
  const log::Capture captured;
  Net net = rounded_around(layers, 0);
  EXPECT_LT(distance(net, given()), kNear);
  EXPECT_EQ(zeros_of(net), "Conv 120 Softmax 0 Conv 0 ");
  EXPECT_EQ(captured.text(), "");
}

TEST(GivenZeroPoints, OfPaddedMapsStandAroundThem) {
  const auto around = [](const Layers& layers) {
    const log::Capture captured;
    Net net{Shape{1, 2, 6, 6}};
    const ValueId conv = net.conv("conv", rounded(net, "in", net.data, 0.02, false, 3), 2, 1);
    const ValueId made =
        rounded(net, "made", layers(net, rounded(net, "q", conv, 0.03, false, 120)), 0.03, false, 120);
    net.graph.set_outputs({rounded(net, "out", net.sum("sum", {made, made}), 0.05, true, 0)});
    EXPECT_LT(distance(net, given()), kNear);
    EXPECT_EQ(captured.text(), "");
    return zeros_of(net);
  };
  EXPECT_EQ(around([](Net& n, ValueId in) {
              return n.padding("p", in, {1, 2, 0, 1});
            }),
            "Conv 120 Border 120 ElemWise 0 ");
  EXPECT_EQ(around([](Net& n, ValueId in) {
              return n.padding("p", n.reshape("wide", in, {9, 4, 2}), {1, 0, 0, 0});
            }),
            "Conv 120 Reshape 120 Border 120 ElemWise 0 ");
  EXPECT_EQ(around([](Net& n, ValueId in) {
              return n.padding("p", in, {-1, 0, -2, -1});
            }),
            "Conv 120 Padding 120 ElemWise 0 ");
  EXPECT_EQ(around([](Net& n, ValueId in) {
              return n.padding("p", in, {1, -2, 0, 1});
            }),
            "Conv 120 Border 120 Padding 120 ElemWise 0 ");
  EXPECT_EQ(around([](Net& n, ValueId in) {
              return n.pool("m", n.padding("p", in, {1, 1, 1, 1}), ops::Pooling::Max, 2);
            }),
            "Conv 120 Border 120 Pool 120 ElemWise 0 ");
}

ops::Pool average_of_the_map() {
  ops::Pool op;
  op.pooling = ops::Pooling::Average;
  op.kernel = {2, 2}, op.padding = op.uncounted = {1, 1, 0, 0};
  return op;
}

TEST(GivenZeroPoints, ThatNothingTakesAreLeftOutWithOneNotice) {
  const log::Capture captured;
  Net net = rounded_around([](Net& n, ValueId in) { return n.layer("p", average_of_the_map(), {in}); });
  EXPECT_LT(distance(net, given()), 2 * kNear);
  EXPECT_EQ(zeros_of(net), "Conv 0 Pool 0 Conv 0 ");
  EXPECT_EQ(captured.text(),
            "zero points of the model are left out of 'conv', 'p' ([p] Pool takes none): these values have "
            "integers without one, whose steps are up to 1.30 times as large\n");
  // The integers reach what those of the file reach, and the layers end where these end.
  EXPECT_FLOAT_EQ(net.graph.value(*net.graph.find_value("conv")).type.quant->scale[0], 0.03F * 135 / 127);
  EXPECT_EQ(net.node("conv").clamp, (Clamp{-120 * 0.03F, 135 * 0.03F}));
}

TEST(GivenZeroPoints, AreLeftOutOfExportsWithoutThem) {
  const log::Capture captured;
  Net net = rounded_around([](Net& n, ValueId in) { return n.relu("r", in, 0, 1.5); });
  EXPECT_LT(distance(net, without_clipping()), 2 * kNear);
  EXPECT_EQ(zeros_of(net), "Conv 0 Relu 0 Conv 0 ");
  EXPECT_EQ(net.graph.value(net.data).type.quant->zero_point, 0);
  EXPECT_THAT(captured.text(), HasSubstr("left out of 'conv', 'data' (the export has none)"));
}

TEST(GivenZeroPoints, OfAConcatenationAreOneWhateverItsBranchesReach) {
  Net net{Shape{1, 2, 6, 6}};
  const ValueId in = rounded(net, "in", net.data, 0.02, false, 3);
  const ValueId a = net.conv("a", in, 2, 1), b = net.conv("b", in, 2, 1);
  net.graph.set_clamp(net.node("a").id, Clamp{-1, 1});
  const ValueId cat = rounded(net, "cat_q", net.concat("cat", {a, b}), 0.03, false, 70);
  net.graph.set_outputs({rounded(net, "out", net.conv("last", cat, 2, 1), 0.05, true, 0)});
  const log::Capture captured;
  EXPECT_LT(distance(net, given()), kNear);
  EXPECT_EQ(zeros_of(net), "Conv 70 Conv 70 Concat 70 Conv 0 ");
  EXPECT_EQ(captured.text(), "");
}

TEST(GivenZeroPoints, AreThoseOfTheirReadersAlone) {
  const log::Capture captured;
  Net net = rounded_around([](Net& n, ValueId in) {
    const ValueId conv = n.conv("two", in, 2, 1);
    const ValueId mean = n.layer("p", average_of_the_map(), {n.scaling("s", conv, {0.5})});
    return n.sum("sum", {n.pool("m", rounded(n, "r", conv, 0.03, false, 70), ops::Pooling::Max, 1),
                         n.pool("c", rounded(n, "rp", mean, 0.03), ops::Pooling::Max, 1)});
  });
  const ValueId read_twice = *net.graph.find_value("two");
  EXPECT_EQ(adoption_errors(net, given()), "none");
  EXPECT_EQ(captured.text(), "");
  EXPECT_FALSE(net.graph.value(read_twice).type.quant);
  EXPECT_EQ(net.graph.value(*net.graph.find_value("r")).type.quant->zero_point, 70);
}

TEST(GivenZeroPoints, OfABranchThatMakesNoneComeFromATable) {
  Net net{Shape{1, 2, 6, 6}};
  const ValueId in = rounded(net, "in", net.data, 0.02, false, 3);
  const ValueId a =
      net.layer("p", average_of_the_map(), {rounded(net, "a", net.conv("a_conv", in, 2, 1), 0.03)});
  const ValueId b = net.pool("crop", net.conv("b", in, 2, 1), ops::Pooling::Max, 1);
  const ValueId cat = rounded(net, "cat_q", net.concat("cat", {a, b}), 0.03, false, 70);
  net.graph.set_outputs({rounded(net, "out", net.conv("last", cat, 2, 1), 0.05, true, 0)});
  EXPECT_LT(distance(net, given()), 2 * kNear);
  EXPECT_THAT(zeros_of(net), HasSubstr("PRelu 70 Concat 70 Conv 0 "));
}

TEST(GivenZeroPoints, OfLayersKeepTheIntegersOfTheFile) {
  Net net{Shape{1, 2, 4, 4}};
  const ValueId in = rounded(net, "in", net.data, 0.02, false, 3);
  const ValueId a = rounded(net, "a_q", net.conv("a", in, 3, 1), 0.05, false, 58);
  const ValueId b_in = rounded(net, "b_in", net.conv("b_conv", in, 3, 1), 0.06, true, -20);
  const ValueId b = rounded(net, "b_q", net.relu("b", b_in, 0.1), 0.06, true, -100);
  const ValueId sum = rounded(net, "sum_q", net.sum("sum", {a, b}, {1, -0.5}), 0.07, false, 90);
  const ValueId mean =
      rounded(net, "mean_q", net.pool("mean", sum, ops::Pooling::Average, 2), 0.03, false, 70);
  net.graph.set_outputs({rounded(net, "out", net.conv("last", mean, 2, 1), 0.05, true, 0)});
  Tensor x(Shape{1, 2, 4, 4});
  Integers integers;
  for (int64_t i = 0; i < x.elements(); ++i) {
    integers.push_back(i * 7);
    x.data<float>()[i] = static_cast<float>(0.02 * static_cast<double>(integers.back() - 3));
  }
  const Tensor wanted = evaluate_all(net.graph, x).at(net.graph.outputs()[0]);
  ASSERT_EQ(adoption_errors(net, given()), "none");
  EXPECT_TRUE(quantize::values_without_scale(net.graph).empty());
  quantize_graph(net.graph, {}, given());
  const auto zero = [&](const char* value) {
    return net.graph.value(*net.graph.find_value(value)).type.quant->zero_point;
  };
  EXPECT_EQ(zero("a"), 58);
  EXPECT_EQ(zero("b_conv"), -20);
  EXPECT_EQ(zero("b"), -100);
  EXPECT_EQ(zero("sum"), 90);
  EXPECT_EQ(zero("mean"), 70);
  EXPECT_EQ(net.node("b").op->type(), "PRelu");
  const auto judged =
      compute::Judge(net.graph).run(quantize::quantize_input(x, *net.graph.value(net.data).type.quant));
  const Integers found = integers_of(judged.at(net.graph.value(net.graph.outputs()[0]).name));
  constexpr double kWeights = 3;  // steps: weights of two layers are rounded by the quantization
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i]), static_cast<double>(wanted.span<float>()[i]) / 0.05, kWeights);
}

TEST(GivenZeroPoints, OfAConcatenationAreThoseOfItsBranches) {
  const auto joined = [](double scale, int zero) {
    Net net{Shape{1, 2, 4, 4}};
    const ValueId in = rounded(net, "in", net.data, 0.02, true, 0);
    const ValueId a = rounded(net, "a_q", net.conv("a", in, 2, 1), scale, false, zero);
    const ValueId b = rounded(net, "b_q", net.conv("b", in, 2, 1), 0.3, false, 20);
    const ValueId cat = rounded(net, "cat_q", net.concat("cat", {a, b}), 0.3, false, 20);
    net.graph.set_outputs({rounded(net, "out", net.conv("last", cat, 2, 1), 0.05, true, 0)});
    EXPECT_EQ(adoption_errors(net, given()), "none");
    quantize_graph(net.graph, {}, given());
    graph::verify(net.graph);
    std::string out;
    for (const NodeId id : net.graph.schedule()) {
      const graph::Node& node = net.graph.node(id);
      out += fmt::format("{} {} ", node.op->type(), net.graph.value(node.outputs[0]).type.quant->zero_point);
    }
    return out;
  };
  EXPECT_EQ(joined(0.3, 20), "Conv 20 Conv 20 Concat 20 Conv 0 ");
  EXPECT_EQ(joined(0.2, 10), "Conv 10 Conv 20 PRelu 20 Concat 20 Conv 0 ");
}

}  // namespace
}  // namespace n2d2::testing
