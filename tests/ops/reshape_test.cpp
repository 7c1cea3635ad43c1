#include "n2d2/ops/reshape.hpp"

#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using testing::infer_error;

Shape reshaped(std::vector<int> dims, const Shape& in) {
  Reshape op;
  op.dims = std::move(dims);
  return op.infer(std::vector<Shape>{in}).at(0);
}

std::string error(std::vector<int> dims, const Shape& in) {
  Reshape op;
  op.dims = std::move(dims);
  return infer_error(op, {in});
}

TEST(Reshape, TakesWidthHeightChannels) {
  EXPECT_EQ(reshaped({2, 3, 8}, {1, 2, 4, 6}), (Shape{1, 8, 3, 2}));
}

TEST(Reshape, KeepsAndInfers) {
  EXPECT_EQ(reshaped({1, 1, -1}, {5, 2, 4, 6}), (Shape{5, 48, 1, 1}));
  EXPECT_EQ(reshaped({0, -1, 4, 0}, {5, 2, 4, 6}), (Shape{5, 4, 2, 6}));
  EXPECT_EQ(reshaped({6, 4, 2, -1}, {5, 2, 4, 6}), (Shape{5, 2, 4, 6}));
}

TEST(Reshape, GradientsAgreeWithFiniteDifferences) {
  Reshape op;
  op.dims = {1, 1, -1};
  testing::expect_gradients(op, {{2, 2, 2, 3}});
}

TEST(Reshape, SaysWhatDoesNotFit) {
  EXPECT_EQ(error({2}, {1, 2, 4, 6}), "Dims has 1 values, expected 3 or 4 (X Y Z [B])");
  EXPECT_EQ(error({-1, -1, 2}, {1, 2, 4, 6}), "Dims has more than one -1");
  EXPECT_EQ(error({0, 0, 0, 2}, {1, 2, 4, 6}), "Dims changes the batch to 2, expected 0 or -1");
  EXPECT_EQ(error({5, -1, 0}, {1, 2, 4, 6}),
            "Dims 5 -1 0 does not fit an input of 2x4x6 (channels x height x width)");
  EXPECT_EQ(error({6, 4, 3}, {1, 2, 4, 6}),
            "Dims 6 4 3 does not fit an input of 2x4x6 (channels x height x width)");
}

}  // namespace
}  // namespace n2d2::ops
