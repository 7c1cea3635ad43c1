#include "n2d2/ops/target_bias.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

TargetBias make() {
  TargetBias op;
  op.bias = -0.5;
  return op;
}

TEST(TargetBias, ChangesTheRightClassWhileLearning) {
  const Tensor x = Tensor::from({2, 2, 1, 1}, {1, 2, 3, 4}), classes = Tensor::from({3}, {-1, 1, 0});
  EXPECT_THAT(testing::values(testing::forward(make(), {x, classes}, true)), ElementsAre(1, 2, 3, 3.5F));
  EXPECT_EQ(testing::forward(make(), {x, classes}), x);
}

TEST(TargetBias, TakesTheClassesOfItsBlockOfTheBatch) {
  const Tensor x = Tensor::from({1, 2, 1, 2}, {1, 2, 3, 4}), classes = Tensor::from({3}, {-1, 1, 0});
  EXPECT_THAT(testing::values(testing::forward(make(), {x, classes}, true, {1, "t", 0, 2})),
              ElementsAre(0.5F, 1.5F, 3, 4));
}

TEST(TargetBias, PassesTheGradientOn) {
  const Tensor x = testing::spread({2, 3, 1, 2}, 1), d_y = testing::spread({2, 3, 1, 2}, 2);
  EXPECT_EQ(testing::backward(make(), {x, Tensor::from({2}, {0, 1})}, d_y, true)[0], d_y);
}

}  // namespace
}  // namespace n2d2::ops
