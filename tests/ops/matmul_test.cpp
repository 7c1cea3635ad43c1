#include "n2d2/ops/matmul.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::values;

MatMul product(int groups, bool transposed, double factor = 1) {
  MatMul op;
  op.groups = groups, op.transposed = transposed, op.factor = factor;
  return op;
}

TEST(MatMul, RowsArePixelsAndColumnsAreChannels) {
  // a = (1 2; 3 4), b = (5 6 7; 8 9 10): channels first.
  const Tensor a = Tensor::from({1, 2, 1, 2}, {1, 3, 2, 4}),
               b = Tensor::from({1, 3, 2, 1}, {5, 8, 6, 9, 7, 10});
  const Tensor y = testing::forward(product(1, false, 0.5), {a, b});
  EXPECT_EQ(y.shape(), (Shape{1, 3, 1, 2}));
  EXPECT_THAT(values(y), ElementsAre(10.5F, 23.5F, 12, 27, 13.5F, 30.5F));
}

TEST(MatMul, OfATransposedMapHasAChannelForEachOfItsPixels) {
  // a = (1 2; 3 4), b = (5 6; 7 8; 9 10).
  const Tensor a = Tensor::from({1, 2, 2, 1}, {1, 3, 2, 4}),
               b = Tensor::from({1, 2, 1, 3}, {5, 7, 9, 6, 8, 10});
  const Tensor y = testing::forward(product(1, true), {a, b});
  EXPECT_EQ(y.shape(), (Shape{1, 3, 2, 1}));
  EXPECT_THAT(values(y), ElementsAre(17, 39, 23, 53, 29, 67));
}

TEST(MatMul, EachGroupIsMultipliedByItself) {
  const Tensor a = Tensor::from({2, 2, 1, 1}, {2, 3, 4, 5}),
               b = Tensor::from({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor y = testing::forward(product(2, true), {a, b});
  EXPECT_EQ(y.shape(), (Shape{2, 4, 1, 1}));
  EXPECT_THAT(values(y), ElementsAre(2, 4, 9, 12, 20, 24, 35, 40));
}

TEST(MatMul, SaysWhatDoesNotFit) {
  EXPECT_EQ(testing::infer_error(product(2, false), {{1, 3, 1, 2}, {1, 4, 1, 2}}),
            "2 groups do not divide the 3 channels of input 0");
  EXPECT_EQ(testing::infer_error(product(2, false), {{1, 4, 1, 2}, {1, 3, 1, 2}}),
            "2 groups do not divide the 3 channels of input 1");
  EXPECT_EQ(testing::infer_error(product(1, false), {{1, 4, 1, 2}, {1, 3, 1, 2}}),
            "input 0 of 1x4x1x2 has 4 columns, input 1 of 1x3x1x2 has 2 rows");
  EXPECT_EQ(testing::infer_error(product(1, true), {{1, 4, 1, 2}, {1, 3, 1, 2}}),
            "input 0 of 1x4x1x2 has 4 columns, input 1 of 1x3x1x2 has 3 rows");
  EXPECT_EQ(testing::infer_error(product(1, true), {{1, 4, 1, 2}, {2, 4, 1, 2}}),
            "input 0 has shape 1x4x1x2, input 1 has 2x4x1x2");
}

}  // namespace
}  // namespace n2d2::ops
