#include "n2d2/ops/scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

Scaling make(std::vector<double> factor) {
  Scaling op;
  op.factor = std::move(factor);
  return op;
}

TEST(Scaling, MultipliesByOneFactorOrOneAChannel) {
  const Tensor x = Tensor::from({1, 2, 1, 2}, {1, 2, 3, 4});
  EXPECT_THAT(testing::values(testing::forward(make({2}), {x})), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(testing::values(testing::forward(make({2, 0.5}), {x})), ElementsAre(2, 4, 1.5F, 2));
}

TEST(Scaling, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(make({2, -3}), {{2, 2, 2, 2}});
}

TEST(Scaling, RefusesAnotherNumberOfFactors) {
  EXPECT_EQ(testing::infer_error(make({1, 2, 3}), {{1, 2, 1, 1}}),
            "Factor has 3 values, expected 1 or 2 (one a channel)");
}

}  // namespace
}  // namespace n2d2::ops
