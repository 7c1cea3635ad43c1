// A channel whose weights hardly move it is its bias.
#include "scales/constant_channels.hpp"

#include <gtest/gtest.h>

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::settle_constant_channels;

struct ConstantChannels : ::testing::Test {
  Net net{Shape{1, 3, 6, 6}};
  Tensor input = random_tensor(Shape{4, 3, 6, 6}, net.rng, -1, 1);

  int settle() { return settle_constant_channels(net.graph, observe_channels(net.graph, input)); }
  float& weight(size_t i) { return net.parameter("conv", 1)[i]; }
  float& bias(size_t o) { return net.parameter("conv", 2)[o]; }
};

TEST_F(ConstantChannels, LoseTheirWeights) {
  net.graph.set_outputs({net.conv("conv", net.data, 2, 1)});
  for (size_t i = 0; i < 3; ++i) weight(i) *= 1e-9F;
  bias(0) = 0.5F;
  const float kept = weight(3);
  EXPECT_EQ(settle(), 1);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(weight(i), 0);
  EXPECT_EQ(weight(3), kept);
  EXPECT_EQ(bias(0), 0.5F);
  EXPECT_EQ(settle(), 0);
}

TEST_F(ConstantChannels, AreNoneThatMoveByAMillionthOrHaveNoBias) {
  net.graph.set_outputs({net.conv("conv", net.data, 2, 1)});
  for (size_t i = 0; i < 3; ++i) weight(i) = 1e-6F;
  bias(0) = 0.5F;
  for (size_t i = 3; i < 6; ++i) weight(i) = 1e-12F;
  bias(1) = 0;
  EXPECT_EQ(settle(), 0);
}

TEST_F(ConstantChannels, AreToldByWhatTheyRead) {
  // These weights, on inputs that are ten million times as large.
  net.graph.set_outputs({net.conv("conv", net.data, 1, 1)});
  for (size_t i = 0; i < 3; ++i) weight(i) = 1e-9F;
  bias(0) = 0.5F;
  for (float& x : input.span<float>()) x *= 1e7F;
  EXPECT_EQ(settle(), 0);
}

TEST_F(ConstantChannels, KeepWeightsThatCameWithAScale) {
  net.graph.set_outputs({net.conv("conv", net.data, 1, 1)});
  for (size_t i = 0; i < 3; ++i) weight(i) = 1e-9F;
  const ValueId weights = net.node("conv").inputs[1];
  Tensor same = *net.graph.value(weights).constant;
  net.graph.set_constant(weights, std::move(same), QuantParams{8, true, -1, {0.1F}});
  EXPECT_EQ(settle(), 0);
}

}  // namespace
}  // namespace n2d2::testing
