#include <gtest/gtest.h>

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
using ops::Pooling;

struct FuseActivation : ::testing::Test {
  Net net{Shape{1, 2, 4, 4}};
};

TEST_F(FuseActivation, BoundsTheLayerBefore) {
  ValueId x = net.relu("relu1", net.conv("conv", net.data, 3, 1));
  x = net.saturation("sat", net.pool("avg", x, Pooling::Average, 2), 0.5);
  x = net.relu("relu2", net.sum("sum", {x, x}), 0, 0.75);
  x = net.relu("relu3", net.scaling("scaling", x, {-2}), 0);
  net.graph.set_outputs({net.relu("relu4", net.fc("fc", x, 2))});
  EXPECT_EQ(change(net, "fuse_activation"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 5U);
  EXPECT_EQ(net.node("conv").clamp, (Clamp{0, kInf}));
  EXPECT_EQ(net.node("avg").clamp, (Clamp{-0.5, 0.5}));
  EXPECT_EQ(net.node("sum").clamp, (Clamp{0, 0.75}));
  EXPECT_EQ(run_pass(net.graph, "fuse_activation"), 0);
}

TEST_F(FuseActivation, NarrowsABoundThatIsThereAlready) {
  const ValueId x = net.saturation("sat", net.conv("conv", net.data, 3, 1), 0.5);
  net.graph.set_outputs({net.relu("relu", x, 0, 6)});
  EXPECT_EQ(change(net, "fuse_activation"), 0);
  EXPECT_EQ(net.node("conv").clamp, (Clamp{0, 0.5}));
  EXPECT_EQ(net.graph.nodes().size(), 1U);
}

TEST_F(FuseActivation, LeavesALeakAndASharedProducer) {
  const ValueId conv = net.conv("conv", net.data, 3, 1);
  net.graph.set_outputs(
      {net.relu("leaky", net.conv("conv2", net.data, 3, 1), 0.1), net.relu("relu", conv), conv});
  EXPECT_EQ(run_pass(net.graph, "fuse_activation"), 0);
}

TEST_F(FuseActivation, GoesThroughLayersThatOnlyChoose) {
  ValueId x = net.concat("concat", {net.conv("conv1", net.data, 3, 1), net.conv("conv2", net.data, 2, 1)});
  x = net.pool("max", net.padding("pad", x, {1, 1, 0, 0}), Pooling::Max, 2);
  net.graph.set_outputs({net.relu("relu", net.reshape("flat", x, {1, 1, -1}))});
  EXPECT_EQ(change(net, "fuse_activation"), 0);
  EXPECT_FALSE(net.has("relu"));
  EXPECT_EQ(net.node("conv1").clamp, (Clamp{0, kInf}));
  EXPECT_EQ(net.node("conv2").clamp, (Clamp{0, kInf}));
}

TEST_F(FuseActivation, StaysBehindAConcatenationWithABranchItCannotBound) {
  const ValueId x = net.concat("concat", {net.conv("conv", net.data, 3, 1), net.data});
  net.graph.set_outputs({net.relu("relu", x)});
  EXPECT_EQ(run_pass(net.graph, "fuse_activation"), 0);
  EXPECT_FALSE(net.node("conv").clamp);
}

/// As many as real networks have a hundred times over: a walk to the convolution for each would not end.
TEST_F(FuseActivation, LooksAtEachLayerOfALongChainOnce) {
  constexpr int kLayers = 20'000;
  ValueId x = net.conv("conv", net.data, 3, 1), y = net.data;
  for (int i = 0; i < kLayers; ++i) {
    x = net.saturation(fmt::format("x_sat{}", i), net.pool(fmt::format("x_max{}", i), x, Pooling::Max, 1),
                       1 + 1.0 / (i + 1));
    y = net.relu(fmt::format("y_relu{}", i), net.pool(fmt::format("y_max{}", i), y, Pooling::Max, 1));
  }
  net.graph.set_outputs({x, y});
  EXPECT_EQ(run_pass(net.graph, "fuse_activation"), kLayers);
  EXPECT_EQ(net.node("conv").clamp, (Clamp{-1 - 1.0F / kLayers, 1 + 1.0F / kLayers}));
  EXPECT_EQ(net.graph.nodes().size(), 1U + 3U * kLayers) << "those behind the input stay";
}

}  // namespace
}  // namespace n2d2::testing
