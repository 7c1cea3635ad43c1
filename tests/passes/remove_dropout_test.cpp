#include <gtest/gtest.h>

#include "n2d2/ops/target_bias.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

TEST(RemoveDropout, TakesEveryDropoutOut) {
  Net net(Shape{1, 2, 4, 4});
  const ValueId a = net.dropout("drop1", net.conv("conv1", net.data, 3, 3));
  net.graph.set_outputs({net.dropout("drop2", net.fc("fc1", a, 2))});
  EXPECT_EQ(run_pass(net.graph, "remove_dropout"), 2);
  EXPECT_FALSE(net.has("drop1"));
  EXPECT_FALSE(net.has("drop2"));
  EXPECT_EQ(net.graph.value(net.graph.outputs()[0]).name, "fc1");
  EXPECT_EQ(run_pass(net.graph, "remove_dropout"), 0);
}

TEST(RemoveDropout, KeepsTheFunction) {
  Net net(Shape{1, 2, 4, 4});
  net.graph.set_outputs({net.fc("fc1", net.dropout("drop1", net.data), 2)});
  EXPECT_EQ(change(net, "remove_dropout"), 0);
  EXPECT_FALSE(net.has("drop1"));
}

TEST(RemoveDropout, TakesATargetBiasOutWithItsClasses) {
  Net net(Shape{1, 2, 4, 4});
  ops::TargetBias bias;
  bias.bias = -1;
  const ValueId classes = net.constant("classes", Tensor(Shape{4}));
  net.graph.set_outputs({net.layer("bias", bias, {net.fc("fc1", net.data, 2), classes})});
  EXPECT_EQ(change(net, "remove_dropout"), 0);
  EXPECT_FALSE(net.has("bias"));
  EXPECT_FALSE(net.graph.find_value("classes"));
}

}  // namespace
}  // namespace n2d2::testing
