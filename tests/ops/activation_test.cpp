#include "n2d2/ops/activation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

Relu rectifier(double leak, double clipping) {
  Relu op;
  op.leak_slope = leak;
  op.clipping = clipping;
  return op;
}

Tensor samples() {
  return Tensor::from({1, 1, 1, 5}, {-2, -0.5F, 0, 0.5F, 8});
}

TEST(Relu, LeaksBelowZeroAndClipsAbove) {
  EXPECT_THAT(testing::values(testing::forward(rectifier(0, 0), {samples()})), ElementsAre(0, 0, 0, 0.5F, 8));
  EXPECT_THAT(testing::values(testing::forward(rectifier(0.5, 6), {samples()})),
              ElementsAre(-1, -0.25F, 0, 0.5F, 6));
}

TEST(Relu, IsAClampUnlessItLeaks) {
  EXPECT_EQ(rectifier(0, 6).clamp(), (Clamp{0, 6}));
  EXPECT_EQ(rectifier(0, 0).clamp(), (Clamp{0, std::numeric_limits<float>::infinity()}));
  EXPECT_FALSE(rectifier(0.1, 0).clamp().has_value());
}

TEST(Relu, HasNoGradientAtItsBounds) {
  const Tensor x = Tensor::from({1, 1, 1, 4}, {0, 6, 3, 7}), ones = Tensor::from({1, 1, 1, 4}, {1, 1, 1, 1});
  EXPECT_THAT(testing::values(testing::backward(rectifier(0, 6), {x}, ones)[0]), ElementsAre(0, 0, 1, 0));
}

TEST(Relu, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(rectifier(0, 0), {{2, 2, 3, 3}});
  testing::expect_gradients(rectifier(0.25, 1), {{2, 2, 3, 3}});
}

TEST(Saturation, ClampsOnBothSides) {
  Saturation op;
  op.threshold = 0.75;
  EXPECT_THAT(testing::values(testing::forward(op, {samples()})), ElementsAre(-0.75F, -0.5F, 0, 0.5F, 0.75F));
  EXPECT_EQ(op.clamp(), (Clamp{-0.75F, 0.75F}));
}

TEST(Saturation, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(Saturation(), {{2, 2, 3, 3}});
}

TEST(Activation, TakesOneMap) {
  EXPECT_EQ(testing::infer_error(Relu(), {}), "expected 1 input, got 0");
  EXPECT_EQ(testing::infer_error(Saturation(), {{4}}),
            "input 0 has shape 4, expected N,C,H,W with extents of at least 1");
}

TEST(Relu, IsZeroAtMinusInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(testing::values(testing::forward(Relu(), {Tensor::from({1, 1, 1, 2}, {-infinity, infinity})})),
              ::testing::ElementsAre(0, infinity));
}

}  // namespace
}  // namespace n2d2::ops
