#include <gtest/gtest.h>

#include "n2d2/passes/pipelines.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

struct MergeTranspose : ::testing::Test {
  Net net{Shape{1, 2, 3, 4}};
};

TEST_F(MergeTranspose, RemovesTwoThatCancel) {
  const ValueId there = net.transpose("there", net.relu("relu", net.data), {2, 0, 1});
  const ValueId back = net.transpose("back", there, {1, 2, 0});
  net.graph.set_outputs({net.conv("conv", back, 3, 1)});
  EXPECT_EQ(change(net, "merge_transpose"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_EQ(run_pass(net.graph, "merge_transpose"), 0);
}

TEST_F(MergeTranspose, JoinsAChainOfThree) {
  ValueId x = net.data;
  for (const char* name : {"a", "b", "c"}) x = net.transpose(name, x, {1, 0, 2});
  net.graph.set_outputs({net.conv("conv", x, 3, 1)});
  EXPECT_EQ(change(net, "merge_transpose"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_EQ(net.as<ops::Transpose>("c").perm, (std::vector<int>{1, 0, 2}));
}

TEST_F(MergeTranspose, KeepsTheFirstForItsOtherUsers) {
  const ValueId first = net.transpose("first", net.data, {1, 0, 2});
  const ValueId second = net.transpose("second", first, {2, 0, 1});
  net.graph.set_outputs({net.conv("conv", first, 3, 1), second});
  EXPECT_EQ(change(net, "merge_transpose"), 0);
  EXPECT_TRUE(net.has("first"));
  EXPECT_EQ(net.node("second").inputs.at(0), net.data);
}

TEST_F(MergeTranspose, LeavesOneThatBoundsItsValues) {
  const ValueId first = net.transpose("first", net.data, {1, 0, 2});
  net.graph.set_clamp(net.node("first").id, Clamp{0, 1});
  net.graph.set_outputs({net.transpose("second", first, {1, 0, 2})});
  EXPECT_EQ(run_pass(net.graph, "merge_transpose"), 0);
  // The second's own bound stays where it is.
  Net other{Shape{1, 2, 3, 4}};
  other.graph.set_outputs({other.transpose("b", other.transpose("a", other.data, {1, 0, 2}), {1, 0, 2})});
  other.graph.set_clamp(other.node("b").id, Clamp{0, 0.5F});
  EXPECT_EQ(change(other, "merge_transpose"), 0);
  EXPECT_TRUE(other.has("b"));
}

TEST_F(MergeTranspose, MakesOneThatMovesNothingAReshape) {
  Net row{Shape{1, 2, 1, 4}};
  const ValueId column = row.transpose("turn", row.data, {1, 0, 2});
  row.graph.set_clamp(row.node("turn").id, Clamp{0, 0.5F});
  row.graph.set_outputs({row.conv("conv", column, 3, 1), row.transpose("moved", row.data, {2, 1, 0})});
  EXPECT_EQ(change(row, "merge_transpose"), 0);
  EXPECT_EQ(row.as<ops::Reshape>("turn").dims, (std::vector<int>{1, 4, 2}));
  EXPECT_EQ(row.node("turn").clamp, (Clamp{0, 0.5F}));
  EXPECT_EQ(row.node("moved").op->type(), "Transpose");
  EXPECT_EQ(run_pass(row.graph, "merge_transpose"), 0);
}

TEST_F(MergeTranspose, FoldsIntoTheWeightsOfAnFc) {
  const ValueId channels_last = net.transpose("last", net.data, {2, 0, 1});
  net.graph.set_outputs({net.fc("one", channels_last, 3), net.fc("two", channels_last, 2)});
  EXPECT_EQ(change(net, "merge_transpose"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_EQ(run_pass(net.graph, "merge_transpose"), 0);
}

TEST_F(MergeTranspose, ThePipelineLeavesNothingBetweenAConvAndItsFc) {
  // Channels last, flattened: what a network that was trained that way does in front of its Fc.
  const ValueId conv = net.relu("relu", net.conv("conv", net.data, 5, 2));
  const ValueId last = net.transpose("last", conv, {2, 0, 1});
  net.graph.set_outputs({net.fc("fc", net.reshape("flat", last, {1, 1, -1}), 3)});
  const Tensor input = random_tensor(net.graph.value(net.data).type.shape, net.rng);
  const std::vector<Tensor> expected = evaluate(net.graph, input);
  passes::run(net.graph, passes::float_pipeline({.equalize = false}));
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_LT(distance(expected, evaluate(net.graph, input)), 1e-6);  // the sums of the Fc have another order
}

TEST_F(MergeTranspose, FoldsOnceForWeightsThatTwoFcShare) {
  const ValueId moved = net.transpose("moved", net.data, {2, 0, 1});
  net.graph.set_outputs({net.fc("one", moved, 3)});
  ops::Fc op;
  op.nb_outputs = 3;
  const ValueId plain = net.layer("plain", op, {net.data, net.node("one").inputs.at(1)});
  net.graph.set_outputs({net.graph.node(net.node("one").id).outputs.at(0), plain});
  EXPECT_EQ(change(net, "merge_transpose"), 0);
  EXPECT_NE(net.node("one").inputs.at(1), net.node("plain").inputs.at(1));
}

}  // namespace
}  // namespace n2d2::testing
