#include <gtest/gtest.h>

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

struct RemoveIdentity : ::testing::Test {
  Net net{Shape{1, 2, 4, 4}};
};

TEST_F(RemoveIdentity, DropsLayersThatChangeNothing) {
  ValueId x = net.reshape("same", net.data, {4, 4, 2});
  x = net.scaling("one", x, {1, 1});
  x = net.padding("none", net.concat("alone", {x}), {});
  x = net.relu("again", net.relu("relu", x, 0, 6));
  x = net.saturation("wide", x, 7);
  net.graph.set_outputs({net.fc("fc", x, 2)});
  EXPECT_EQ(change(net, "remove_identity"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_TRUE(net.has("relu"));
  EXPECT_EQ(run_pass(net.graph, "remove_identity"), 0);
}

TEST_F(RemoveIdentity, DropsReshapesInFrontOfAnFc) {
  const ValueId x = net.reshape("r2", net.reshape("r1", net.data, {2, 4, 4}), {1, 1, -1});
  net.graph.set_outputs({net.fc("fc", x, 2)});
  EXPECT_EQ(change(net, "remove_identity"), 0);
  EXPECT_EQ(net.graph.nodes().size(), 1U);
}

TEST_F(RemoveIdentity, KeepsWhatChangesSomething) {
  ValueId x = net.reshape("flat", net.data, {1, 1, -1});
  x = net.saturation("narrow", net.scaling("two", x, {2}), 1);
  x = net.relu("leaky", x, 0.5);
  net.graph.set_outputs({net.concat("pair", {x, x})});
  EXPECT_EQ(run_pass(net.graph, "remove_identity"), 0);
}

TEST_F(RemoveIdentity, KeepsAScalingThatChangesIntegers) {
  net.graph.set_outputs({net.scaling("one", net.data, {1})});
  net.graph.set_rescale(net.node("one").id, Rescale{RescaleMode::FloatingPoint, {0.5F}, {}, 0, -128, 127});
  EXPECT_EQ(run_pass(net.graph, "remove_identity"), 0);
}

}  // namespace
}  // namespace n2d2::testing
