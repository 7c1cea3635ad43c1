#include "n2d2/ops/pixel_reshape.hpp"

#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using testing::infer_error;

PixelReshape reshape(int width, int height, int channels) {
  PixelReshape op;
  op.width = width, op.height = height, op.channels = channels;
  return op;
}

Tensor tensor(const Shape& shape, const std::vector<float>& values) {
  Tensor out(shape);
  std::copy(values.begin(), values.end(), out.data<float>());
  return out;
}

TEST(PixelReshape, KeepsTheOrderOfPixelsAndTheirChannels) {
  // Two channels of 1 x 3 pixels: (0, 10), (1, 11), (2, 12).
  const Tensor in = tensor({1, 2, 1, 3}, {0, 1, 2, 10, 11, 12});
  const std::vector<float> pixels{0, 10, 1, 11, 2, 12};
  EXPECT_EQ(testing::values(testing::forward(reshape(1, 1, 6), {in})), pixels);
  // Three channels of two pixels: (0, 10, 1), (11, 2, 12).
  EXPECT_EQ(testing::values(testing::forward(reshape(2, 1, 3), {in})),
            (std::vector<float>{0, 11, 10, 2, 1, 12}));
  EXPECT_EQ(testing::values(testing::forward(reshape(3, 2, 1), {in})), pixels);
}

TEST(PixelReshape, MovesNothingBetweenSamples) {
  const Tensor in = tensor({2, 2, 1, 2}, {0, 1, 10, 11, 20, 21, 30, 31});
  EXPECT_EQ(testing::values(testing::forward(reshape(1, 1, 4), {in})),
            (std::vector<float>{0, 10, 1, 11, 20, 30, 21, 31}));
}

TEST(PixelReshape, GradientsAgreeWithFiniteDifferences) {
  testing::expect_gradients(reshape(2, 1, 6), {{2, 2, 2, 3}});
}

TEST(PixelReshape, KeepsChannelsApartWhereTheirNumberStays) {
  const std::vector<Shape> in{{1, 2, 2, 3}};
  EXPECT_TRUE(reshape(1, 6, 2).integer_form(in).by_channel);
  EXPECT_FALSE(reshape(2, 2, 3).integer_form(in).by_channel);
}

TEST(PixelReshape, SaysWhatDoesNotFit) {
  EXPECT_EQ(infer_error(reshape(5, 2, 2), {{1, 2, 2, 3}}),
            "an input of 2x2x3 has another number of values than 2x2x5 (channels x height x width)");
}

}  // namespace
}  // namespace n2d2::ops
