#include "n2d2/ops/pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

Pool make(Pooling pooling, Dims kernel, Dims stride, Pads padding = {}) {
  Pool op;
  op.pooling = pooling;
  op.kernel = kernel;
  op.stride = stride;
  op.padding = padding;
  return op;
}

TEST(Pool, TakesTheMaximumAndIgnoresPadding) {
  const Pool op = make(Pooling::Max, {2, 1}, {2, 1}, {1, 0, 1, 0});
  const Tensor x = Tensor::from({1, 1, 1, 4}, {-1, -5, -3, -2});
  EXPECT_THAT(testing::values(testing::forward(op, {x})), ElementsAre(-1, -3, -2));
}

TEST(Pool, SeesPaddingAsZerosWhenAsked) {
  Pool op = make(Pooling::Max, {2, 1}, {2, 1}, {1, 0, 1, 0});
  op.count_zeros = true;
  const Tensor x = Tensor::from({1, 1, 1, 4}, {-1, -5, -3, 2});
  EXPECT_THAT(testing::values(testing::forward(op, {x})), ElementsAre(0, -3, 2));
  const auto gradients = testing::backward(op, {x}, Tensor::from({1, 1, 1, 3}, {1, 2, 3}));
  EXPECT_THAT(testing::values(gradients[0]), ElementsAre(0, 0, 2, 3));
}

TEST(Pool, AveragesOverTheWholeWindowPaddingIncluded) {
  const Pool op = make(Pooling::Average, {2, 2}, {1, 1}, {1, 0, 0, 0});
  const Tensor x = Tensor::from({1, 1, 2, 2}, {4, 8, 12, 16});
  EXPECT_THAT(testing::values(testing::forward(op, {x})), ElementsAre(4, 10));
}

TEST(Pool, AnAverageDividesByTheTapsThatCount) {
  Pool op = make(Pooling::Average, {2, 2}, {1, 1}, {1, 0, 1, 0});
  const Tensor x = Tensor::from({1, 1, 2, 2}, {4, 8, 12, 16});
  op.uncounted = op.padding;
  EXPECT_THAT(testing::values(testing::forward(op, {x})), ElementsAre(8, 10, 12));
  op.uncounted = {0, 0, 1, 0};
  EXPECT_THAT(testing::values(testing::forward(op, {x})), ElementsAre(4, 10, 12));
  testing::expect_gradients(op, {{1, 2, 4, 4}});
  EXPECT_EQ(op.integer_form(std::vector<Shape>{{1, 1, 2, 2}}).factors.at(0).size(), 4U);
}

TEST(Pool, RefusesAnAverageOfNothingThatCounts) {
  Pool op = make(Pooling::Average, {2, 2}, {1, 1}, {2, 0, 0, 0});
  op.uncounted = {2, 0, 0, 0};
  EXPECT_EQ(testing::infer_error(op, {{1, 1, 4, 4}}),
            "a window of 2x2 sees nothing that counts with UncountedPadding 2 0 0 0");
  op.uncounted = {3, 0, 0, 0};
  EXPECT_EQ(testing::infer_error(op, {{1, 1, 4, 4}}),
            "UncountedPadding 3 0 0 0 is more than the padding 2 0 0 0");
}

TEST(Pool, GivesTheGradientToTheFirstMaximum) {
  const Pool op = make(Pooling::Max, {3, 1}, {1, 1});
  const auto gradients =
      testing::backward(op, {Tensor::from({1, 1, 1, 3}, {1, 7, 7})}, Tensor::from({1, 1, 1, 1}, {5}));
  EXPECT_THAT(testing::values(gradients[0]), ElementsAre(0, 5, 0));
}

TEST(Pool, GradientsAgreeWithFiniteDifferences) {
  for (const Pooling pooling : {Pooling::Max, Pooling::Average})
    testing::expect_gradients(make(pooling, {3, 2}, {2, 1}, {1, 0, 1, 1}), {{2, 2, 4, 5}});
}

TEST(Pool, RefusesWindowsOfNothingButPadding) {
  const std::vector<Shape> in{{1, 1, 4, 4}};
  EXPECT_EQ(testing::infer_error(make(Pooling::Max, {2, 2}, {1, 1}, {2, 0, 0, 0}), in),
            "padding 2 0 0 0 hides a whole 2x2 window from the maximum");
  EXPECT_EQ(testing::infer_error(make(Pooling::Average, {2, 2}, {1, 1}, {2, 0, 0, 0}), in), "");
  EXPECT_EQ(testing::infer_error(make(Pooling::Max, {5, 2}, {1, 1}), in),
            "kernel 5x2 (width x height) is larger than the padded input 4x4");
}

TEST(Pool, MaximumKeepsTheScaleAndAverageAddsItsWindow) {
  const std::vector<Shape> in{{1, 1, 4, 4}};
  const graph::IntegerForm max = make(Pooling::Max, {2, 2}, {2, 2}).integer_form(in);
  EXPECT_EQ(max.scale, graph::ScaleOf::OfInput);
  EXPECT_TRUE(max.chooses);
  const graph::IntegerForm average = make(Pooling::Average, {2, 4}, {2, 2}).integer_form(in);
  EXPECT_EQ(average.scale, graph::ScaleOf::Own);
  EXPECT_EQ(average.taps, 8);
  EXPECT_EQ(average.factors, (std::vector<std::vector<double>>{{0.125}}));
}

}  // namespace
}  // namespace n2d2::ops
