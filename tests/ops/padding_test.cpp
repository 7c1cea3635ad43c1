#include "n2d2/ops/padding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

Padding make(int top, int bottom, int left, int right) {
  Padding op;
  op.top = top;
  op.bottom = bottom;
  op.left = left;
  op.right = right;
  return op;
}

TEST(Padding, SurroundsWithZeros) {
  const Tensor y = testing::forward(make(1, 0, 0, 2), {Tensor::from({1, 1, 1, 2}, {1, 2})});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 2, 4}));
  EXPECT_THAT(testing::values(y), ElementsAre(0, 0, 0, 0, 1, 2, 0, 0));
}

TEST(Padding, CropsWhereNegative) {
  const Tensor y = testing::forward(make(-1, 0, 1, -2), {Tensor::from({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_THAT(testing::values(y), ElementsAre(0, 4));
}

TEST(Padding, LeavesZerosWhenEverythingIsCropped) {
  const Tensor y = testing::forward(make(0, 0, -2, 3), {Tensor::from({1, 1, 1, 2}, {1, 2})});
  EXPECT_THAT(testing::values(y), ElementsAre(0, 0, 0));
}

TEST(Padding, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(make(1, -1, -2, 2), {{2, 2, 4, 4}});
}

TEST(Padding, RefusesToLeaveNothing) {
  EXPECT_EQ(testing::infer_error(make(-1, -1, 0, 0), {{1, 1, 2, 2}}),
            "padding leaves nothing: 2x2 (height x width) becomes 0x2");
}

}  // namespace
}  // namespace n2d2::ops
