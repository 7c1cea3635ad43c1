// Values inside a network that have zero points: which do, and what their integers are worth.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/compute/judge.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/prelu.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/quantize/check_integers.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "quantize/integer_net.hpp"
#include "quantize/quantize_for.hpp"

namespace n2d2::testing {
namespace {

constexpr double kSlope = 0.1;
/// Weights and input are rounded in both; without them it were a third.
constexpr double kShareLeft = 0.8;

quantize::Options with_zero_points(int effort = 1) {
  quantize::Options options;
  options.zero_points = true;
  options.effort = effort;
  return options;
}

Tensor sample_of(const Shape& shape) {
  Rng rng(7, "inner zero points");
  return random_tensor(shape, rng, -1, 1);
}

/// Quantized on one sample.
struct Quantized {
  Quantized(Net floats, const quantize::Options& options)
      : net(std::move(floats)), sample(sample_of(net.graph.value(net.data).type.shape)) {
    const Graph before = net.graph;
    quantize_for(net.graph, sample, options);
    graph::verify(net.graph);
    Diagnostics findings;
    quantize::check_types(net.graph, {"net.graph", 0}, findings);
    EXPECT_FALSE(findings.has_errors()) << findings.errors()[0].message;
    const auto judged = compute::Judge(net.graph).run(
        quantize::quantize_input(sample, *net.graph.value(net.data).type.quant));
    for (const auto& [id, wanted] : evaluate_all(before, sample)) {
      const auto left = net.graph.find_value(before.value(id).name);
      if (!left || !judged.contains(before.value(id).name)) continue;
      errors[before.value(id).name] = mean_square(judged.at(before.value(id).name), wanted, *left);
    }
  }

  double zero(const char* value) const {
    return net.graph.value(*net.graph.find_value(value)).type.quant->zero_point;
  }

  Net net;
  Tensor sample;
  std::map<std::string, double> errors;  ///< mean squares against the floats, by value

 private:
  double mean_square(const Tensor& integers, const Tensor& wanted, ValueId id) const {
    const QuantParams& quant = *net.graph.value(id).type.quant;
    double sum = 0;
    const Integers found = integers_of(integers);
    for (size_t i = 0; i < found.size(); ++i) {
      const double off =
          static_cast<double>(quant.scale.at(0)) * (static_cast<double>(found[i]) - quant.zero_point) -
          static_cast<double>(wanted.span<float>()[i]);
      sum += off * off;
    }
    return sum / static_cast<double>(found.size());
  }
};

/// What reads it is padded: its borders have no pixels.
Net leaky_net() {
  Net net{Shape{1, 3, 12, 11}};
  const ValueId first = net.conv("first", net.data, 8, 3);
  const ValueId leaky = net.relu("leaky", first, kSlope);
  const ValueId pool = net.pool("pool", leaky, ops::Pooling::Max, 2);
  ops::Conv last;
  last.nb_outputs = 4, last.kernel = {3, 3}, last.padding = {1, 1, 1, 1};
  net.graph.set_outputs({net.conv("last", pool, last)});
  return net;
}

TEST(InnerZeroPoints, EntriesOfATableLieAboutTheZeroPoints) {
  ops::PRelu op;
  const Tensor slope = Tensor::from(Shape{1, 1, 1, 1}, {0.1F});
  const std::vector<Shape> shapes{Shape{1, 2, 3, 3}, Shape{1, 1, 1, 1}};
  const QuantParams in{8, false, -1, {0.5F}, {}, 10}, out{8, false, -1, {0.25F}, {}, 3};
  const Tensor table = op.integer_form(shapes).table({in, out, {&slope}});
  const auto at = [&](int q) { return int{table.data<uint8_t>()[q]}; };
  EXPECT_EQ(at(10), 3);     // 0
  EXPECT_EQ(at(12), 7);     // 1
  EXPECT_EQ(at(0), 1);      // -5 -> -0.5
  EXPECT_EQ(at(255), 255);  // 122.5 -> 490 steps
}

TEST(InnerZeroPoints, OfARectifierThatLeaksErrLess) {
  const Quantized with{leaky_net(), with_zero_points()}, without{leaky_net(), with_zero_points(0)};
  EXPECT_EQ(with.net.node("leaky").op->type(), "PRelu");
  EXPECT_EQ(without.net.node("leaky").op->type(), "Relu");
  for (const char* value : {"first", "leaky", "pool"}) {
    EXPECT_GT(with.zero(value), 0) << value;
    EXPECT_LT(with.zero(value), 255) << value;
    EXPECT_EQ(without.zero(value), 0) << value;
  }
  EXPECT_EQ(with.zero("pool"), with.zero("leaky"));
  // Less than a third of the integers stand for what is below 0 behind the rectifier.
  EXPECT_LT(with.zero("leaky"), 85);
  EXPECT_LT(with.errors.at("leaky"), kShareLeft * without.errors.at("leaky"));
}

TEST(InnerZeroPoints, LieInSignedIntegersWhereNoneMayBeUnsigned) {
  quantize::Options options = with_zero_points();
  options.allow_unsigned = false;
  const Quantized with{leaky_net(), options}, as_unsigned{leaky_net(), with_zero_points()};
  EXPECT_EQ(with.zero("leaky"), as_unsigned.zero("leaky") - 128);
  EXPECT_EQ(with.errors.at("leaky"), as_unsigned.errors.at("leaky"));
}

TEST(InnerZeroPoints, AreLeftOutWhereNothingTakesOrMakesThem) {
  const auto zero_of_leaky = [](const std::function<ValueId(Net&, ValueId)>& reader) {
    Net net{Shape{1, 3, 12, 11}};
    const ValueId leaky = net.relu("leaky", net.conv("first", net.data, 8, 3), kSlope);
    net.graph.set_outputs({reader(net, leaky)});
    return Quantized{std::move(net), with_zero_points()}.zero("leaky");
  };
  EXPECT_GT(zero_of_leaky([](Net& n, ValueId in) { return n.conv("last", in, 4, 1); }), 0);
  EXPECT_GT(zero_of_leaky([](Net& n, ValueId in) { return n.fc("last", in, 4); }), 0);
  EXPECT_EQ(zero_of_leaky([](Net&, ValueId in) { return in; }), 0);
  EXPECT_GT(zero_of_leaky([](Net& n, ValueId in) { return n.depthwise("last", in, 3); }), 0);
  EXPECT_GT(zero_of_leaky([](Net& n, ValueId in) {
              ops::Conv op;
              op.kernel = {3, 3}, op.padding = {1, 0, 0, 0};
              op.nb_outputs = op.groups = 8;
              return n.conv("last", in, op);
            }),
            0);
  EXPECT_GT(zero_of_leaky([](Net& n, ValueId in) {
              return n.conv("last", n.sum("sum", {in, in}), 4, 1);
            }),
            0);
  EXPECT_GT(zero_of_leaky([](Net& n, ValueId in) {
              return n.conv("last", n.pool("pool", in, ops::Pooling::Average, 2), 4, 1);
            }),
            0);
  const auto padded_average = [](bool counts) {
    return [counts](Net& n, ValueId in) {
      ops::Pool op;
      op.pooling = ops::Pooling::Average;
      op.kernel = op.stride = {2, 2}, op.padding = {0, 1, 0, 0};
      if (!counts) op.uncounted = op.padding;
      return n.conv("last", n.layer("pool", op, {in}), 4, 1);
    };
  };
  EXPECT_GT(zero_of_leaky(padded_average(true)), 0);
  EXPECT_EQ(zero_of_leaky(padded_average(false)), 0);
  EXPECT_GT(zero_of_leaky([](Net& n, ValueId in) {
              ops::ElemWise op;
              op.operation = ops::ElemWiseOperation::Prod;
              return n.conv("last", n.layer("product", op, {in, in}), 4, 1);
            }),
            0);
}

/// Two linear layers of values that are seldom below 0, and their sum.
Net linear_net() {
  Net net{Shape{1, 3, 12, 11}};
  const ValueId first = net.conv("first", net.data, 8, 1);
  const ValueId second = net.conv("second", first, 8, 1);
  for (const char* name : {"first", "second"}) {
    const auto biases = net.parameter(name, 2);
    std::fill(biases.begin(), biases.end(), 1.5F);
  }
  net.graph.set_outputs({net.conv("last", net.sum("sum", {first, second}, {1, -0.25}), 4, 1)});
  return net;
}

TEST(InnerZeroPoints, OfASumAndItsBranchesErrLess) {
  const Quantized with{linear_net(), with_zero_points()}, without{linear_net(), with_zero_points(0)};
  for (const char* value : {"first", "second", "sum"}) {
    EXPECT_NE(with.zero(value), 0) << value;
    EXPECT_LT(with.errors.at(value), kShareLeft * without.errors.at(value)) << value;
    EXPECT_EQ(without.zero(value), 0) << value;
  }
  EXPECT_EQ(without.net.node("sum").rescale->start, 0);
}

/// Gives a value this grid, so that integers can be followed by hand.
void give(Net& net, ValueId id, QuantParams quant) {
  TensorType type = net.graph.value(id).type;
  type.quant = std::move(quant);
  net.graph.set_type(id, std::move(type));
}

TEST(InnerZeroPoints, ASumStartsFromThem) {
  Net net{Shape{1, 1, 1, 4}};
  const ValueId sum = net.sum("sum", {net.data, net.data}, {1, -0.5});
  const ValueId last = net.conv("last", sum, 1, 1);
  net.graph.set_outputs({last});
  give(net, net.data, {8, false, -1, {0.5F}, {}, 3});
  give(net, sum, {8, false, -1, {0.25F}, {}, 100});
  give(net, last, {8, true, -1, {0.25F}});
  quantize::quantize_graph(net.graph, {}, {});
  // Factors 2 and -1 are 2^30 and -2^29 of a shift of 29.
  const Rescale& r = *net.node("sum").rescale;
  EXPECT_EQ(r.shift, 29);
  EXPECT_THAT(r.multiplier, ::testing::ElementsAre(1 << 30, -(1 << 29)));
  EXPECT_EQ(r.start, int64_t{100 - 2 * 3 + 3} << 29);
  const IntegerNet run(net.graph, {3, 5, 0, 255});
  EXPECT_THAT(run["sum"], ::testing::ElementsAre(100, 102, 97, 255));  // 0, 0.5, -0.75, 63
}

TEST(InnerZeroPoints, AnAverageStartsFromThem) {
  for (const RescaleMode mode : {RescaleMode::FloatingPoint, RescaleMode::FixedPoint32}) {
    Net net{Shape{1, 1, 2, 4}};
    const ValueId pool = net.pool("pool", net.data, ops::Pooling::Average, 2);
    const ValueId last = net.conv("last", pool, 1, 1);
    net.graph.set_outputs({last});
    give(net, net.data, {8, false, -1, {0.5F}, {}, 3});
    give(net, pool, {8, false, -1, {0.25F}, {}, 100});
    give(net, last, {8, true, -1, {0.25F}});
    quantize::Options options;
    options.rescaling = mode;
    quantize::quantize_graph(net.graph, {}, options);
    // The factor is 1/4 * 0.5/0.25: 100 are 200 units of sums.
    EXPECT_EQ(net.node("pool").rescale->start, 200 - 4 * 3);
    const IntegerNet run(net.graph, {1, 0, 20, 10, 0, 3, 24, 2});
    EXPECT_THAT(run["pool"], ::testing::ElementsAre(96, 118, 122));  // -1, 4.375, 5.5
  }
}

TEST(InnerZeroPoints, StandBesideAnAverageThatIsPadded) {
  Net net{Shape{1, 1, 1, 3}};
  ops::Pool op;
  op.pooling = ops::Pooling::Average;
  op.kernel = op.stride = {2, 1}, op.padding.left = 1;
  const ValueId pool = net.layer("pool", op, {net.data});
  const ValueId last = net.conv("last", pool, 1, 1);
  net.graph.set_outputs({last});
  give(net, net.data, {8, false, -1, {0.5F}, {}, 3});
  give(net, pool, {8, false, -1, {0.25F}, {}, 100});
  give(net, last, {8, true, -1, {0.25F}});
  quantize::quantize_graph(net.graph, {}, {});
  EXPECT_EQ(net.node("pool").rescale->start, 100 - 2 * 3);
  const Tensor sample = Tensor::from(Shape{1, 1, 1, 3}, {-1, -1.5, 8.5});
  const auto judged =
      compute::Judge(net.graph).run(quantize::quantize_input(sample, *net.graph.value(net.data).type.quant));
  EXPECT_THAT(integers_of(judged.at("pool")), ::testing::ElementsAre(98, 114));  // -0.5, 3.5
}

TEST(InnerZeroPoints, AProductCountsFromThem) {
  for (const RescaleMode mode : {RescaleMode::FloatingPoint, RescaleMode::FixedPoint32}) {
    Net net{Shape{1, 1, 1, 4}};
    ops::ElemWise op;
    op.operation = ops::ElemWiseOperation::Prod;
    const ValueId product = net.layer("product", op, {net.data, net.data});
    const ValueId last = net.conv("last", product, 1, 1);
    net.graph.set_outputs({last});
    give(net, net.data, {8, false, -1, {0.5F}, {}, 3});
    give(net, product, {8, false, -1, {0.25F}, {}, 100});
    give(net, last, {8, true, -1, {0.25F}});
    quantize::Options options;
    options.rescaling = mode;
    quantize::quantize_graph(net.graph, {}, options);
    EXPECT_EQ(net.node("product").rescale->start, 100);
    const Tensor sample = Tensor::from(Shape{1, 1, 1, 4}, {0, 1, -1.5, 3.5});
    const auto judged = compute::Judge(net.graph).run(
        quantize::quantize_input(sample, *net.graph.value(net.data).type.quant));
    EXPECT_THAT(integers_of(judged.at("product")), ::testing::ElementsAre(100, 104, 109, 149));
  }
}

/// Where all of the map is 0, so is what lies beside it: each output is its bias.
TEST(InnerZeroPoints, StandBesideADepthwiseLayerThatIsPadded) {
  Net net{Shape{1, 3, 4, 5}};
  ops::Conv op;
  op.kernel = {3, 3}, op.padding = {2, 1, 1, 0}, op.stride = {1, 2};
  op.nb_outputs = op.groups = 3;
  const ValueId depthwise = net.conv("depthwise", net.data, op);
  const ValueId last = net.conv("last", depthwise, 1, 1);
  net.graph.set_outputs({last});
  give(net, net.data, {8, false, -1, {0.5F}, {}, 40});
  give(net, depthwise, {8, false, -1, {0.03125F}, {}, 100});
  give(net, last, {8, true, -1, {0.25F}});
  const auto real = net.parameter("depthwise", 2);
  const std::vector<float> biases(real.begin(), real.end());
  quantize::quantize_graph(net.graph, {}, {});
  const Tensor sample(net.graph.value(net.data).type.shape);
  const auto judged =
      compute::Judge(net.graph).run(quantize::quantize_input(sample, *net.graph.value(net.data).type.quant));
  const Integers found = integers_of(judged.at("depthwise"));
  const size_t pixels = found.size() / biases.size();
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], 100 + std::lround(biases[i / pixels] / 0.03125F)) << "element " << i;
}

TEST(InnerZeroPoints, AnInterpolationStartsFromThem) {
  Net net{Shape{1, 1, 1, 2}};
  ops::Resize op;
  op.output_width = 3, op.output_height = 1;
  op.mode = ops::ResizeMode::BilinearTF, op.positions = ops::ResizePositions::AlignCorners;
  const ValueId wider = net.layer("wider", op, {net.data});
  const ValueId last = net.conv("last", wider, 1, 1);
  net.graph.set_outputs({last});
  give(net, net.data, {8, false, -1, {0.5F}, {}, 3});
  give(net, wider, {8, false, -1, {0.25F}, {}, 100});
  give(net, last, {8, true, -1, {0.25F}});
  quantize::quantize_graph(net.graph, {}, {});
  EXPECT_EQ(net.node("wider").rescale->start, int64_t{50 - 3} << 20);
  const Tensor sample = Tensor::from(Shape{1, 1, 1, 2}, {-1, 2});
  const auto judged =
      compute::Judge(net.graph).run(quantize::quantize_input(sample, *net.graph.value(net.data).type.quant));
  EXPECT_THAT(integers_of(judged.at("wider")), ::testing::ElementsAre(96, 102, 108));
}

TEST(InnerZeroPoints, GoThroughAveragesDepthwiseLayersAndInterpolations) {
  const auto swish_net = [] {
    Net net{Shape{1, 3, 12, 12}};
    ops::Nonlinearity swish;
    swish.function = ops::Function::HardSwish, swish.alpha = 1.0 / 6, swish.beta = 0.5;
    const ValueId made = net.layer("swish", swish, {net.conv("first", net.data, 8, 3)});
    const ValueId pool = net.pool("pool", made, ops::Pooling::Average, 2);
    ops::Resize resize;
    resize.output_width = resize.output_height = 10;
    resize.mode = ops::ResizeMode::BilinearTF;
    ops::Conv depthwise;
    depthwise.kernel = {3, 2}, depthwise.padding = {1, 1, 1, 0}, depthwise.nb_outputs = depthwise.groups = 8;
    const ValueId wider = net.layer("wider", resize, {net.conv("depthwise", pool, depthwise)});
    net.graph.set_outputs({net.conv("last", wider, 4, 1)});
    return net;
  };
  const Quantized with{swish_net(), with_zero_points()}, without{swish_net(), with_zero_points(0)};
  for (const char* value : {"swish", "pool"}) {
    EXPECT_NE(with.zero(value), 0) << value;
    EXPECT_LT(with.errors.at(value), without.errors.at(value)) << value;
  }
}

TEST(InnerZeroPoints, OfAConcatenationAreOneForAllBranches) {
  const auto joined_net = [](bool with_input) {
    Net net{Shape{1, 3, 12, 11}};
    ops::Nonlinearity swish;
    swish.function = ops::Function::HardSwish, swish.alpha = 1.0 / 6, swish.beta = 0.5;
    const ValueId first = net.conv("first", net.data, 8, 1);
    const ValueId inner =
        net.concat("inner", {net.relu("leaky", first, kSlope), net.layer("swish", swish, {first})});
    const ValueId rectified = net.conv("rectified", net.data, 3, 1);
    net.graph.set_clamp(net.node("rectified").id, Clamp{0, std::numeric_limits<float>::infinity()});
    const ValueId outer = net.concat(
        "outer", {net.pool("pool", inner, ops::Pooling::Max, 1), with_input ? net.data : rectified});
    net.graph.set_outputs({net.conv("last", outer, 4, 1)});
    return net;
  };
  const Quantized with{joined_net(false), with_zero_points()},
      without{joined_net(false), with_zero_points(0)};
  for (const char* value : {"leaky", "swish", "inner", "pool", "rectified", "outer"}) {
    EXPECT_GT(with.zero(value), 0) << value;
    EXPECT_EQ(with.zero(value), with.zero("outer")) << value;
    EXPECT_EQ(without.zero(value), 0) << value;
  }
  EXPECT_LT(with.errors.at("outer"), kShareLeft * without.errors.at("outer"));
  EXPECT_EQ((Quantized{joined_net(true), with_zero_points()}.zero("outer")), 0);
}

TEST(InnerZeroPoints, AreOfFactorsOfBytesWithHistograms) {
  quantize::Options shifted = with_zero_points(), ranges = with_zero_points(), refused = with_zero_points();
  shifted.rescaling = RescaleMode::DoubleShift;
  ranges.activation_clipping = "None";
  refused.zero_points = false;
  quantize::Options wide = with_zero_points();
  wide.bits = 16;
  for (const quantize::Options& options : {shifted, ranges, refused, wide})
    EXPECT_EQ((Quantized{leaky_net(), options}.zero("leaky")), 0);
  quantize::Options fixed = with_zero_points();
  fixed.rescaling = RescaleMode::FixedPoint32;
  EXPECT_GT((Quantized{leaky_net(), fixed}.zero("leaky")), 0);
}

TEST(InnerZeroPoints, AreNoneBeforeARectifierThatLeavesWithTheBitsOfSums) {
  for (const int bits : {16, 32}) {
    Net net{Shape{1, 3, 12, 11}};
    net.graph.set_outputs({net.relu("leaky", net.conv("first", net.data, 8, 3), kSlope)});
    quantize::Options options = with_zero_points();
    options.output_bits = {bits};
    const Quantized made{std::move(net), options};
    EXPECT_EQ(made.net.node("leaky").op->type(), "Relu");
    EXPECT_EQ(made.zero("first"), 0);
  }
}

TEST(InnerZeroPoints, ThatNothingMakesAreFound) {
  const auto finding = [](const char* value, double zero) {
    Quantized made{leaky_net(), with_zero_points(0)};
    const ValueId id = *made.net.graph.find_value(value);
    TensorType type = made.net.graph.value(id).type;
    type.quant->zero_point = zero;
    made.net.graph.set_type(id, std::move(type));
    Diagnostics findings;
    quantize::check_types(made.net.graph, {"net.graph", 0}, findings);
    return findings.has_errors() ? findings.errors()[0].message : "";
  };
  EXPECT_EQ(finding("leaky", 3), "'leaky': has a zero point, which [leaky] Relu does not make");
  EXPECT_EQ(finding("first", 3), "'first': cannot have a zero point: [leaky] Relu takes none");
  EXPECT_EQ(finding("last_weights", 3), "'last_weights': a constant has a zero point");
}

TEST(InnerZeroPoints, SumsWithBiasesStartFromZeroAlone) {
  Quantized made{leaky_net(), with_zero_points()};
  Rescale rescale = *made.net.node("last").rescale;
  rescale.start = 7;
  made.net.graph.set_rescale(made.net.node("last").id, rescale);
  Diagnostics findings;
  quantize::check_types(made.net.graph, {"net.graph", 0}, findings);
  ASSERT_TRUE(findings.has_errors());
  EXPECT_EQ(findings.errors()[0].message, "[last] Conv: rescale: its sums start from 0 alone, got 7");
}

/// The grid of a moved value is that of the value that was moved, whatever the scales of both said before.
TEST(InnerZeroPoints, ALeakBehindAMoveReadsTheZeroPointOfWhatMoves) {
  for (const bool pools : {true, false}) {
    SCOPED_TRACE(pools ? "MaxPool" : "DepthToSpace");
    const auto network = [&] {
      Net net(Shape{1, 3, 8, 8}, 15);
      ValueId x = net.conv("conv", net.data, 8, 3);
      ops::Pool pool;
      pool.pooling = ops::Pooling::Max;
      pool.kernel = pool.stride = {2, 2};
      ops::DepthToSpace blocks;
      blocks.block_size = 2;
      x = pools ? net.layer("moved", pool, {x}) : net.layer("moved", blocks, {x});
      x = net.relu("leak", x, kSlope);
      net.graph.set_outputs({net.transpose("turned", x, {2, 0, 1})});
      return net;
    };
    Quantized found(network(), with_zero_points()), simple(network(), with_zero_points(0));
    if (pools) {
      EXPECT_NE(found.zero("conv"), 0);
    }
    EXPECT_EQ(found.zero("moved"), found.zero("conv"));
    EXPECT_LT(found.errors.at("turned"), 2 * simple.errors.at("turned"));
  }
}

}  // namespace
}  // namespace n2d2::testing
