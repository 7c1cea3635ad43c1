#include "n2d2/ops/conv.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::infer_error;
using testing::values;

Conv make(Dims kernel, int outputs) {
  Conv op;
  op.kernel = kernel;
  op.nb_outputs = outputs;
  return op;
}

TEST(Conv, CorrelatesWithoutFlippingTheKernel) {
  const Conv op = make({2, 1}, 1);
  const Tensor y =
      testing::forward(op, {Tensor::from({1, 1, 1, 3}, {1, 2, 4}), Tensor::from({1, 1, 1, 2}, {10, 1})});
  EXPECT_THAT(values(y), ElementsAre(12, 24));
}

TEST(Conv, PadsEachSideByItsOwnAmount) {
  Conv op = make({2, 2}, 1);
  op.padding = {1, 0, 0, 1};
  const Tensor y = testing::forward(
      op, {Tensor::from({1, 1, 2, 2}, {1, 2, 3, 4}), Tensor::from({1, 1, 2, 2}, {1, 10, 100, 1000})});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 2, 2}));
  EXPECT_THAT(values(y), ElementsAre(10 + 3000, 1 + 20 + 300 + 4000, 30, 3 + 40));
}

TEST(Conv, SkipsPixelsByStrideAndDilation) {
  Conv op = make({2, 1}, 1);
  op.stride = {2, 1};
  op.dilation = {3, 1};
  const Tensor y = testing::forward(
      op, {Tensor::from({1, 1, 1, 7}, {1, 2, 3, 4, 5, 6, 7}), Tensor::from({1, 1, 1, 2}, {1, 10})});
  EXPECT_THAT(values(y), ElementsAre(1 + 40, 3 + 60));
}

TEST(Conv, AddsTheBiasOncePerOutput) {
  const Conv op = make({1, 1}, 2);
  const Tensor y =
      testing::forward(op, {Tensor::from({1, 2, 1, 1}, {3, 4}), Tensor::from({2, 2, 1, 1}, {1, 10, 0, 0}),
                            Tensor::from({2}, {100, 7})});
  EXPECT_THAT(values(y), ElementsAre(143, 7));
}

TEST(Conv, KeepsGroupsApart) {
  Conv op = make({1, 1}, 4);
  op.groups = 2;
  const Tensor y = testing::forward(
      op, {Tensor::from({1, 2, 1, 1}, {3, 5}), Tensor::from({4, 1, 1, 1}, {1, 10, 100, 1000})});
  EXPECT_THAT(values(y), ElementsAre(3, 30, 500, 5000));
  EXPECT_TRUE(op.is_depthwise(2));
}

TEST(Conv, IgnoresWeightsOfChannelsThatAreNotConnected) {
  Conv op = make({1, 1}, 2);
  op.connections = {1, 0, 1, 1};  // channel 0 feeds output 0; channel 1 feeds both
  const std::vector<Tensor> in{Tensor::from({1, 2, 1, 1}, {3, 5}),
                               Tensor::from({2, 2, 1, 1}, {1, 10, 99, 2})};
  EXPECT_THAT(values(testing::forward(op, in)), ElementsAre(53, 10));
  const auto gradients = testing::backward(op, in, Tensor::from({1, 2, 1, 1}, {1, 1}));
  EXPECT_THAT(values(gradients[1]), ElementsAre(3, 5, 0, 5));
  EXPECT_THAT(values(gradients[0]), ElementsAre(1, 12));
}

TEST(Conv, GradientsAgreeWithFiniteDifferences) {
  Conv op = make({3, 2}, 4);
  op.stride = {2, 1};
  op.padding = {1, 0, 2, 1};
  testing::expect_gradients(op, {{2, 3, 4, 5}, {4, 3, 2, 3}, {4}});
}

TEST(Conv, GradientsOfGroupsAndDilationAgreeWithFiniteDifferences) {
  Conv op = make({2, 2}, 4);
  op.groups = 2;
  op.dilation = {2, 1};
  op.padding = {1, 1, 1, 1};
  testing::expect_gradients(op, {{2, 4, 3, 4}, {4, 2, 2, 2}});
}

TEST(Conv, OutputSizeFollowsTheFloorRule) {
  Conv op = make({3, 3}, 8);
  op.stride = {2, 2};
  op.padding = {1, 1, 1, 1};
  EXPECT_EQ(op.infer(std::vector<Shape>{{1, 3, 32, 31}, {8, 3, 3, 3}}).at(0), (Shape{1, 8, 16, 16}));
}

TEST(Conv, SaysWhichShapeIsWrong) {
  const Conv op = make({3, 3}, 16);
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}}), "expected 2 or 3 inputs, got 1");
  EXPECT_EQ(infer_error(op, {{3, 8, 8}, {16, 3, 3, 3}}),
            "input 0 has shape 3x8x8, expected N,C,H,W with extents of at least 1");
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {16, 16, 3, 3}}), "input 0 has 3 channels, weights expect 16");
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {8, 3, 3, 3}}), "weights have shape 8x3x3x3, expected 16x3x3x3");
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {16, 3, 3, 3}, {8}}), "biases have shape 8, expected 16");
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 2}, {16, 3, 3, 3}}),
            "kernel 3x3 (width x height) is larger than the padded input 2x8");
}

/// Kinds of rows, then of columns.
std::string kinds_of(const Conv& op, const Shape& in) {
  const Borders borders = op.borders(in);
  std::string out;
  for (const Kinds* axis : {&borders.y, &borders.x}) {
    for (int64_t i = 0; i < axis->size; ++i) out += std::to_string(axis->of(i));
    out += axis == &borders.y ? " " : "";
  }
  EXPECT_EQ(borders.count(), borders.of(borders.y.size - 1, borders.x.size - 1) + 1);
  return out;
}

TEST(Conv, CountsThePixelsWhoseWindowsAreCutOff) {
  Conv op = make({3, 3}, 1);
  EXPECT_EQ(kinds_of(op, {1, 1, 5, 6}), "000 0000");
  op.padding = {1, 1, 1, 1};
  EXPECT_EQ(kinds_of(op, {1, 1, 5, 6}), "01112 011112");
  op.stride = {2, 2};
  EXPECT_EQ(kinds_of(op, {1, 1, 5, 6}), "012 011");
  EXPECT_EQ(kinds_of(op, {1, 1, 2, 1}), "0 0");
  op = make({5, 5}, 1);
  op.padding = {4, 4, 4, 4};
  EXPECT_EQ(kinds_of(op, {1, 1, 2, 3}), "012345 0123456");
  op = make({2, 2}, 1);
  op.dilation = {3, 2};
  op.padding = {0, 1, 3, 0};
  EXPECT_EQ(kinds_of(op, {1, 1, 4, 5}), "011 00123");
}

TEST(Conv, AddsTheBiasOfTheKindOfPixel) {
  Conv op = make({3, 3}, 2);
  op.padding = {1, 1, 1, 1};
  Tensor biases(Shape{9, 2});
  for (int64_t i = 0; i < 18; ++i) biases.data<float>()[i] = static_cast<float>(i);
  const Tensor y = testing::forward(op, {Tensor(Shape{1, 1, 3, 4}), Tensor(Shape{2, 1, 3, 3}), biases});
  EXPECT_THAT(values(y), ElementsAre(0, 2, 2, 4, 6, 8, 8, 10, 12, 14, 14, 16,  //
                                     1, 3, 3, 5, 7, 9, 9, 11, 13, 15, 15, 17));
  EXPECT_EQ(infer_error(op, {{1, 1, 3, 4}, {2, 1, 3, 3}, {4, 2}}), "biases have shape 4x2, expected 9x2");
}

TEST(Conv, SumsTheWeightsThatLieInside) {
  Conv op = make({2, 2}, 2);
  op.padding = {1, 0, 0, 1};  // left and bottom
  const Shape in{1, 1, 2, 2};
  Tensor weights(Shape{2, 1, 2, 2}, DataType::I8);
  const std::array<int8_t, 8> w{1, 10, 100, -28, -1, 2, 3, 4};
  std::copy(w.begin(), w.end(), weights.data<int8_t>());
  const auto form = op.integer_form(std::vector<Shape>{in});
  EXPECT_THAT(form.inside_sums(weights),
              ElementsAre(ElementsAre(-18, 6), ElementsAre(83, 8), ElementsAre(10, 2), ElementsAre(11, 1)));
  op = make({1, 1}, 2);
  op.groups = 2;
  const std::vector<Shape> two{{1, 2, 2, 2}};
  Tensor of_channels(Shape{2, 1, 1, 1}, DataType::I8);
  of_channels.data<int8_t>()[0] = 7, of_channels.data<int8_t>()[1] = -3;
  EXPECT_THAT(op.integer_form(two).inside_sums(of_channels), ElementsAre(ElementsAre(7, -3)));
  op.padding = {1, 0, 0, 0};
  // Taps outside a depthwise layer's map have the value that stands for 0, so all of them count.
  EXPECT_THAT(op.integer_form(two).inside_sums(of_channels), ElementsAre(ElementsAre(7, -3)));
}

TEST(Conv, SaysWhichFieldIsWrong) {
  Conv op = make({1, 1}, 4);
  op.groups = 3;
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {4, 1, 1, 1}}),
            "3 groups do not divide 3 input channels and 4 outputs");
  op.groups = 0;
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {4, 1, 1, 1}}), "Groups is 0, expected at least 1");
  op = make({1, 1}, 0);
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {4, 3, 1, 1}}), "NbOutputs is 0, expected at least 1");
  op = make({1, 1}, 4);
  op.connections = {1, 1};
  EXPECT_EQ(infer_error(op, {{1, 3, 8, 8}, {4, 3, 1, 1}}),
            "Connections has 2 entries, expected 3 channels x 4 outputs");
  op = make({1, 1}, 4);
  op.groups = 2;
  op.connections = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(infer_error(op, {{1, 2, 8, 8}, {4, 1, 1, 1}}), "Connections and Groups exclude each other");
}

}  // namespace
}  // namespace n2d2::ops
