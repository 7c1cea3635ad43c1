#include <gtest/gtest.h>

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

ValueId normalized_fc(Net& net, const std::string& name, ValueId in, ValueId weights) {
  ops::Fc op;
  op.nb_outputs = 3;
  op.normalize = true;
  return net.layer(name, op, {in, weights});
}

TEST(NormalizeWeights, PutsUnitVectorsInPlaceOfTheWeights) {
  Net net(Shape{1, 2, 2, 2});
  const ValueId weights = net.constant("w", random_tensor(Shape{3, 8}, net.rng));
  net.graph.set_outputs({normalized_fc(net, "fc", net.data, weights)});
  EXPECT_LT(change(net, "normalize_weights"), 1e-5);
  EXPECT_FALSE(net.as<ops::Fc>("fc").normalize);
  double length = 0;
  for (size_t i = 0; i < 8; ++i) length += std::pow(net.parameter("fc", 1)[i], 2);
  EXPECT_NEAR(length, 1, 1e-5);
  EXPECT_EQ(run_pass(net.graph, "normalize_weights"), 0);
}

TEST(NormalizeWeights, LeavesAnotherLayerItsWeights) {
  Net net(Shape{1, 2, 2, 2});
  const ValueId weights = net.constant("w", random_tensor(Shape{3, 8}, net.rng));
  ops::Fc plain;
  plain.nb_outputs = 3;
  const ValueId a = normalized_fc(net, "a", net.data, weights);
  net.graph.set_outputs({net.concat("both", {a, net.layer("b", plain, {net.data, weights})})});
  EXPECT_LT(change(net, "normalize_weights"), 1e-5);
  EXPECT_NE(net.node("a").inputs[1], net.node("b").inputs[1]);
}

TEST(NormalizeWeights, KeepsIntegersThatCameWithAScale) {
  Net net(Shape{1, 2, 1, 1});
  const std::vector<float> integers{3, -4, 0, 0, -8, 6};
  Tensor values(Shape{3, 2});
  for (size_t i = 0; i < integers.size(); ++i) values.span<float>()[i] = integers[i] * 0.5F;
  const ValueId weights = net.constant("w", std::move(values));
  TensorType type = net.graph.value(weights).type;
  type.quant = QuantParams{8, true, -1, {0.5F}};
  net.graph.set_type(weights, std::move(type));
  net.graph.set_outputs({normalized_fc(net, "fc", net.data, weights)});
  run_pass(net.graph, "normalize_weights");
  const graph::Value& made = net.graph.value(net.node("fc").inputs[1]);
  ASSERT_TRUE(made.type.quant.has_value());
  EXPECT_EQ(made.type.quant->axis, 0);
  for (size_t i = 0; i < integers.size(); ++i)
    EXPECT_FLOAT_EQ(made.constant->span<float>()[i], integers[i] * made.type.quant->scale.at(i / 2)) << i;
}

}  // namespace
}  // namespace n2d2::testing
