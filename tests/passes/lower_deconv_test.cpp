#include <gtest/gtest.h>

#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/depth_to_space.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

/// The sum over the taps has another order.
constexpr double kOrderOfTaps = 1e-6;

struct Sides {
  int kernel, stride, dilation, before, after, more;
};

ValueId add_deconv(Net& net, const std::string& name, ValueId in, ops::Deconv op, bool bias = true) {
  const int64_t channels = net.channels(in) / op.groups;
  Tensor weights = random_tensor(Shape{op.nb_outputs, channels, op.kernel.y, op.kernel.x}, net.rng);
  std::vector<ValueId> inputs{in, net.constant(name + "_weights", std::move(weights))};
  if (bias) inputs.push_back(net.constant(name + "_biases", random_tensor(Shape{op.nb_outputs}, net.rng)));
  return net.layer(name, std::move(op), std::move(inputs));
}

ops::Deconv deconv_of(const Sides& x, const Sides& y, int outputs, int groups = 1) {
  ops::Deconv op;
  op.kernel = {x.kernel, y.kernel};
  op.stride = {x.stride, y.stride};
  op.dilation = {x.dilation, y.dilation};
  op.padding = {x.before, y.before, x.after, y.after};
  op.output_padding = {x.more, y.more};
  op.nb_outputs = outputs, op.groups = groups;
  return op;
}

/// Each window along X, and the one behind it along Y.
constexpr Sides kSides[] = {{2, 2, 1, 0, 0, 0}, {4, 2, 1, 1, 1, 0}, {3, 2, 1, 1, 1, 1}, {3, 2, 1, 0, 0, 0},
                            {3, 1, 1, 1, 1, 0}, {1, 1, 1, 0, 0, 0}, {5, 3, 1, 2, 0, 2}, {2, 3, 1, 0, 0, 0},
                            {3, 2, 2, 1, 0, 0}, {2, 1, 3, 2, 1, 0}, {3, 1, 1, 4, 2, 0}, {4, 3, 2, 5, 3, 1},
                            {2, 2, 1, 3, 2, 0}, {1, 4, 1, 1, 0, 3}};

TEST(LowerDeconv, ComputesWhatTheDeconvComputes) {
  const size_t count = std::size(kSides);
  for (size_t i = 0; i < count; ++i)
    for (const int groups : {1, 2, 4}) {
      Net net{Shape{1, 4, 5, 6}};
      const ValueId made = add_deconv(
          net, "up", net.data, deconv_of(kSides[i], kSides[(i + groups) % count], 4, groups), i % 2 == 0);
      const Shape shape = net.graph.value(made).type.shape;
      net.graph.set_outputs({made});
      EXPECT_LT(change(net, "lower_deconv"), kOrderOfTaps) << i << ", groups " << groups;
      EXPECT_EQ(net.graph.value(net.node("up").outputs.at(0)).type.shape, shape);
      for (const NodeId id : net.graph.nodes())
        EXPECT_EQ(graph::as<ops::Deconv>(net.graph.node(id)), nullptr);
    }
}

TEST(LowerDeconv, OfStrideOneIsOneConv) {
  Net net{Shape{1, 3, 4, 4}};
  net.graph.set_outputs(
      {add_deconv(net, "up", net.data, deconv_of({3, 1, 2, 1, 2, 0}, {3, 1, 1, 2, 0, 0}, 5))});
  EXPECT_LT(change(net, "lower_deconv"), kOrderOfTaps);
  EXPECT_EQ(net.graph.nodes().size(), 1U);
  EXPECT_EQ(net.as<ops::Conv>("up").kernel, (Dims{3, 3}));
  EXPECT_EQ(net.as<ops::Conv>("up").dilation, (Dims{2, 1}));
}

TEST(LowerDeconv, MultipliesNoZeroWhereTheStrideDividesTheKernel) {
  Net net{Shape{1, 3, 4, 4}};
  net.graph.set_outputs(
      {add_deconv(net, "up", net.data, deconv_of({4, 2, 1, 1, 1, 0}, {4, 2, 1, 1, 1, 0}, 5))});
  EXPECT_LT(change(net, "lower_deconv"), kOrderOfTaps);
  EXPECT_EQ(net.as<ops::Conv>("up_phases").kernel, (Dims{2, 2}));
  EXPECT_EQ(net.as<ops::Conv>("up_phases").nb_outputs, 20);
  EXPECT_EQ(net.as<ops::DepthToSpace>("up").crop, (Pads{1, 1, 1, 1}));
  const Tensor& weights = *net.graph.value(net.node("up_phases").inputs.at(1)).constant;
  for (const float weight : weights.span<float>()) EXPECT_NE(weight, 0);
}

TEST(LowerDeconv, TakesTheBatchNormAndTheActivationBehindIt) {
  Net net{Shape{1, 3, 4, 4}};
  const ValueId up = add_deconv(net, "up", net.data, deconv_of({2, 2, 1, 0, 0, 0}, {2, 2, 1, 0, 0, 0}, 5));
  net.graph.set_outputs({net.relu("relu", net.batchnorm("norm", up))});
  for (const char* pass : {"fuse_batchnorm", "lower_deconv", "fuse_activation"})
    EXPECT_LT(change(net, pass), 10 * kOrderOfTaps) << pass;
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_TRUE(net.node("up_phases").clamp);
  EXPECT_FALSE(net.node("up").clamp);
}

TEST(LowerDeconv, KeepsTheScalesThatCameWithWeights) {
  Net net{Shape{1, 3, 4, 4}};
  net.graph.set_outputs(
      {add_deconv(net, "up", net.data, deconv_of({2, 2, 1, 0, 0, 0}, {2, 1, 1, 0, 0, 0}, 2))});
  const ValueId weights = net.node("up").inputs.at(1);
  net.graph.set_constant(weights, *net.graph.value(weights).constant, QuantParams{8, true, 0, {0.5F, 0.25F}});
  EXPECT_EQ(run_pass(net.graph, "lower_deconv"), 1);
  const TensorType& phases = net.graph.value(net.node("up_phases").inputs.at(1)).type;
  EXPECT_EQ(phases.quant->scale, (std::vector<float>{0.5F, 0.5F, 0.25F, 0.25F}));
}

TEST(LowerDeconv, LeavesATableOfConnections) {
  Net net{Shape{1, 2, 3, 3}};
  ops::Deconv op = deconv_of({2, 2, 1, 0, 0, 0}, {2, 2, 1, 0, 0, 0}, 2);
  op.connections = {1, 0, 1, 1};
  net.graph.set_outputs({add_deconv(net, "up", net.data, op)});
  EXPECT_EQ(run_pass(net.graph, "lower_deconv"), 0);
}

}  // namespace
}  // namespace n2d2::testing
