
#include <gtest/gtest.h>

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

struct AdaptLayout : ::testing::Test {
  Net net{Shape{1, 3, 2, 2}};
};

TEST_F(AdaptLayout, PutsEveryActivationAndConvWeightInNhwc) {
  net.graph.set_outputs({net.pool("max", net.conv("conv", net.data, 4, 2), ops::Pooling::Max, 1)});
  const Tensor before = *net.graph.value(net.node("conv").inputs[1]).constant;
  EXPECT_GT(run_pass(net.graph, "adapt_layout"), 0);
  for (const ValueId id : net.graph.values()) {
    const graph::Value& value = net.graph.value(id);
    EXPECT_EQ(value.type.layout, value.type.shape.rank() == 4 ? Layout::Nhwc : Layout::Nchw) << value.name;
  }
  const Tensor& weights = *net.graph.value(net.node("conv").inputs[1]).constant;
  EXPECT_EQ(weights.shape(), before.shape());
  EXPECT_EQ(weights.layout(), Layout::Nhwc);
  // Output 2, tap (1, 0), channel 1: O,I,H,W offset 2*12 + 1*4 + 2, O,H,W,I offset 2*12 + 2*3 + 1.
  EXPECT_EQ(weights.span<float>()[31], before.span<float>()[30]);
  EXPECT_EQ(run_pass(net.graph, "adapt_layout"), 0);
}

TEST_F(AdaptLayout, OrdersFcRowsLikeThePixelsTheyRead) {
  net.graph.set_outputs({net.fc("fc2", net.fc("fc1", net.data, 2), 2)});
  const Tensor before = *net.graph.value(net.node("fc1").inputs[1]).constant;
  const Tensor second = *net.graph.value(net.node("fc2").inputs[1]).constant;
  run_pass(net.graph, "adapt_layout");
  const std::span<float> w = net.parameter("fc1", 1);
  for (size_t o = 0; o < 2; ++o)
    for (size_t c = 0; c < 3; ++c)
      for (size_t p = 0; p < 4; ++p)
        EXPECT_EQ(w[o * 12 + p * 3 + c], before.span<float>()[o * 12 + c * 4 + p]);
  EXPECT_EQ(*net.graph.value(net.node("fc2").inputs[1]).constant, second);
}

TEST_F(AdaptLayout, MovesIntegersOfAnyWidth) {
  net.graph.set_outputs({net.fc("fc", net.data, 1)});
  Tensor weights(Shape{1, 12}, DataType::I16);
  for (int16_t i = 0; i < 12; ++i) weights.data<int16_t>()[i] = i;
  const QuantParams quant{16, true, 0, {0.5F}};
  net.graph.set_constant(net.node("fc").inputs[1], weights, quant);
  run_pass(net.graph, "adapt_layout");
  const graph::Value& value = net.graph.value(net.node("fc").inputs[1]);
  EXPECT_EQ(value.constant->data<int16_t>()[1], 4);
  EXPECT_EQ(value.type.quant, quant);
}

TEST_F(AdaptLayout, AcceptsReshapes) {
  const ValueId x = net.reshape("flip", net.data, {1, 4, 3});
  net.graph.set_outputs(
      {net.reshape("fold", net.fc("fc", x, 4), {2, 2, 1}), net.reshape("mix", net.data, {1, 1, -1})});
  EXPECT_GT(run_pass(net.graph, "adapt_layout"), 0);
}

}  // namespace
}  // namespace n2d2::testing
