#include "n2d2/ops/threshold.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

Threshold make(ThresholdOperation operation) {
  Threshold op;
  op.threshold = 1;
  op.max_value = 5;
  op.operation = operation;
  return op;
}

std::vector<float> of(ThresholdOperation operation) {
  return testing::values(testing::forward(make(operation), {Tensor::from({1, 1, 1, 4}, {-2, 0.5F, 1, 3})}));
}

TEST(Threshold, DoesWithBothSidesWhatTheOperationSays) {
  EXPECT_THAT(of(ThresholdOperation::Binary), ElementsAre(0, 0, 0, 5));
  EXPECT_THAT(of(ThresholdOperation::BinaryInverted), ElementsAre(5, 5, 5, 0));
  EXPECT_THAT(of(ThresholdOperation::Truncate), ElementsAre(-2, 0.5F, 1, 1));
  EXPECT_THAT(of(ThresholdOperation::ToZero), ElementsAre(0, 0, 0, 3));
  EXPECT_THAT(of(ThresholdOperation::ToZeroInverted), ElementsAre(-2, 0.5F, 1, 0));
}

TEST(Threshold, GradientsAgreeWithFiniteDifferences) {
  for (const auto operation :
       {ThresholdOperation::Binary, ThresholdOperation::BinaryInverted, ThresholdOperation::Truncate,
        ThresholdOperation::ToZero, ThresholdOperation::ToZeroInverted}) {
    Threshold op = make(operation);
    op.threshold = 0.01;  // no value of spread() lies there
    testing::expect_gradients(op, {{2, 2, 2, 3}});
  }
}

TEST(Threshold, NoValueLeavesItsRange) {
  for (const double threshold : {-3.0, -0.5, 0.0, 0.5, 3.0})
    for (const auto operation :
         {ThresholdOperation::Binary, ThresholdOperation::BinaryInverted, ThresholdOperation::Truncate,
          ThresholdOperation::ToZero, ThresholdOperation::ToZeroInverted}) {
      Threshold op = make(operation);
      op.threshold = threshold;
      const Shape shape{1, 1, 4, 4};
      const Clamp range = op.range(std::vector<Clamp>{{-2, 2}}, std::vector<Shape>{shape}).at(0);
      for (const float y : testing::values(testing::forward(op, {testing::spread(shape, 1)}))) {
        EXPECT_GE(y, range.lo) << threshold;
        EXPECT_LE(y, range.hi) << threshold;
      }
    }
}

}  // namespace
}  // namespace n2d2::ops
