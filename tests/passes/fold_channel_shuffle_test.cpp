#include <gtest/gtest.h>

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

/// The sum over the channels has another order.
constexpr double kOrder = 1e-6;

/// Six channels, shuffled as two groups of three.
struct FoldChannelShuffle : ::testing::Test {
  Net net{Shape{1, 6, 2, 4}};
  ValueId shuffled(const std::string& name, ValueId in) {
    const ValueId view = net.reshape(name + "_view", in, {8, 3, 2});
    return net.reshape(name, net.transpose(name + "_turn", view, {0, 2, 1}), {4, 2, 6});
  }
};

TEST_F(FoldChannelShuffle, GoesIntoTheWeightsOfTheConvsThatReadIt) {
  const ValueId channels = shuffled("shuffle", net.relu("relu", net.data));
  net.graph.set_outputs({net.conv("a", channels, 3, 1), net.conv("b", channels, 4, 2, false)});
  EXPECT_LT(change(net, "fold_channel_shuffle"), kOrder);
  EXPECT_EQ(net.graph.nodes().size(), 3U);
  EXPECT_EQ(run_pass(net.graph, "fold_channel_shuffle"), 0);
}

TEST_F(FoldChannelShuffle, LeavesWeightsThatAnotherConvSharesAsTheyAre) {
  const ValueId channels = shuffled("shuffle", net.data);
  const ValueId a = net.conv("a", channels, 3, 1, false);
  ops::Conv op;
  op.kernel = {1, 1};
  op.nb_outputs = 3;
  net.graph.set_outputs({a, net.layer("b", op, {net.data, net.node("a").inputs.at(1)})});
  EXPECT_LT(change(net, "fold_channel_shuffle"), kOrder);
  EXPECT_NE(net.node("a").inputs.at(1), net.node("b").inputs.at(1));
}

TEST_F(FoldChannelShuffle, IsAConvForOtherReaders) {
  const ValueId channels = shuffled("shuffle", net.data);
  net.graph.set_outputs({net.conv("conv", channels, 3, 1), net.depthwise("depthwise", channels, 2)});
  EXPECT_LT(change(net, "fold_channel_shuffle"), kOrder);
  EXPECT_EQ(net.graph.nodes().size(), 3U);
  EXPECT_EQ(net.node("conv").inputs.at(0), net.data);
  EXPECT_EQ(net.as<ops::Conv>("shuffle").nb_outputs, 6);
}

TEST_F(FoldChannelShuffle, IsAConvAtTheEndOfTheNetwork) {
  net.graph.set_outputs({shuffled("shuffle", net.data)});
  EXPECT_LT(change(net, "fold_channel_shuffle"), kOrder);
  EXPECT_EQ(net.graph.nodes().size(), 1U);
}

TEST_F(FoldChannelShuffle, LeavesMoreChannelsThanAConvCouldPick) {
  constexpr int kGroups = 256, kChannels = kGroups * kGroups;  // 2^32 weights
  Net wide{Shape{1, kChannels, 1, 1}};
  const ValueId view = wide.reshape("view", wide.data, {1, kGroups, kGroups});
  wide.graph.set_outputs(
      {wide.reshape("shuffle", wide.transpose("turn", view, {0, 2, 1}), {1, 1, kChannels})});
  EXPECT_EQ(run_pass(wide.graph, "fold_channel_shuffle"), 0);
  EXPECT_EQ(wide.graph.nodes().size(), 3U);
}

TEST_F(FoldChannelShuffle, TwoInARow) {
  net.graph.set_outputs({net.conv("conv", shuffled("second", shuffled("first", net.data)), 2, 1)});
  EXPECT_LT(change(net, "fold_channel_shuffle"), kOrder);
}

TEST_F(FoldChannelShuffle, LeavesWhatOthersReadBoundsOrMovesPixels) {
  const auto untouched = [](Net& other) { EXPECT_EQ(run_pass(other.graph, "fold_channel_shuffle"), 0); };
  const ValueId channels = shuffled("shuffle", net.data);
  net.graph.set_outputs({channels, net.graph.node(*net.graph.find_node("shuffle_turn")).outputs.at(0)});
  untouched(net);

  Net bounded{Shape{1, 6, 2, 4}};
  const ValueId turn = bounded.transpose("turn", bounded.reshape("view", bounded.data, {8, 3, 2}), {0, 2, 1});
  bounded.graph.set_clamp(bounded.node("turn").id, Clamp{0, 1});
  bounded.graph.set_outputs({bounded.reshape("back", turn, {4, 2, 6})});
  untouched(bounded);

  Net pixels{Shape{1, 6, 2, 4}};  // a channel and a half in each group
  pixels.graph.set_outputs({pixels.reshape(
      "back", pixels.transpose("turn", pixels.reshape("view", pixels.data, {4, 3, 4}), {0, 2, 1}),
      {4, 2, 6})});
  untouched(pixels);

  Net columns{Shape{1, 6, 2, 4}};
  columns.graph.set_outputs({columns.reshape(
      "back", columns.transpose("turn", columns.reshape("view", columns.data, {8, 3, 2}), {2, 1, 0}),
      {4, 2, 6})});
  untouched(columns);
}

}  // namespace
}  // namespace n2d2::testing
