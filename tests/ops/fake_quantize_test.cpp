#include "n2d2/ops/fake_quantize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;

FakeQuantize make(std::vector<double> scale, std::vector<int> zero = {0}, bool is_signed = true) {
  FakeQuantize op;
  op.scale = std::move(scale);
  op.zero_point = std::move(zero);
  op.is_signed = is_signed;
  return op;
}

std::vector<float> run(const FakeQuantize& op, const Tensor& x) {
  return testing::values(testing::forward(op, {x}));
}

TEST(FakeQuantize, RoundsToStepsTiesToEvenAndSaturates) {
  const Tensor x = Tensor::from({1, 1, 2, 4}, {0.2F, 0.25F, 0.75F, -0.25F, 63.6F, 100, -64, -1000});
  EXPECT_THAT(run(make({0.5}), x), ElementsAre(0, 0, 1, 0, 63.5F, 63.5F, -64, -64));
}

TEST(FakeQuantize, TheZeroPointMovesTheBounds) {
  const Tensor x = Tensor::from({1, 1, 1, 4}, {-200, -3, 3, 300});
  EXPECT_THAT(run(make({1}, {100}, false), x), ElementsAre(-100, -3, 3, 155));
  EXPECT_THAT(run(make({1}, {-128}), x), ElementsAre(0, 0, 3, 255));
  const FakeQuantize::Steps steps = make({1}, {100}, false).steps(0);
  EXPECT_EQ(steps.least, -100);
  EXPECT_EQ(steps.most, 155);
}

TEST(FakeQuantize, SaysWhichExportHasItsIntegers) {
  FakeQuantize op = make({0.5});
  op.bits = 4;
  EXPECT_EQ(op.integer_form({}).why_not.at(0).hint,
            "'-nbbits 4' exports the integers that it rounds to; a program of floats has no rounding");
}

TEST(FakeQuantize, MayUseFewerIntegersThanItsWidthHas) {
  FakeQuantize op = make({0.5});
  op.bounds = {-7, 7};
  const Tensor x = Tensor::from({1, 1, 1, 4}, {-200, -3, 1.3F, 300});
  EXPECT_THAT(run(op, x), ElementsAre(-3.5F, -3, 1.5F, 3.5F));
  const Clamp range = op.range(std::vector<Clamp>{Clamp{}}, std::vector<Shape>{x.shape()}).at(0);
  EXPECT_EQ(range, (Clamp{-3.5F, 3.5F}));
  op.bounds = {-129, 7};
  EXPECT_EQ(testing::infer_error(op, {{1, 2, 1, 1}}),
            "Bounds is '-129 7', expected two integers of -128 to 127, the least first");
  op.bounds = {8, 7};
  EXPECT_EQ(testing::infer_error(op, {{1, 2, 1, 1}}),
            "Bounds is '8 7', expected two integers of -128 to 127, the least first");
}

TEST(FakeQuantize, ChannelsMayHaveTheirOwnScaleAndZeroPoint) {
  const Tensor x = Tensor::from({1, 2, 1, 2}, {0.6F, 1000, 0.6F, 1000});
  EXPECT_THAT(run(make({1, 0.25}, {0, 27}), x), ElementsAre(1, 127, 0.5F, 25));
}

TEST(FakeQuantize, TheGradientGoesThroughWhereNothingIsClipped) {
  const Tensor x = Tensor::from({1, 1, 1, 4}, {0.2F, 63.7F, 64, -80}),
               d_y = Tensor::from({1, 1, 1, 4}, {1, 2, 3, 4});
  const auto gradients = testing::backward(make({0.5}), {x}, d_y);
  EXPECT_THAT(testing::values(gradients.at(0)), ElementsAre(1, 2, 0, 0));
}

TEST(FakeQuantize, RefusesFieldsThatMeanNothing) {
  EXPECT_EQ(testing::infer_error(make({1, 2, 3}), {{1, 2, 1, 1}}),
            "Scale has 3 values, expected 1 or 2 (one a channel)");
  EXPECT_EQ(testing::infer_error(make({1}, {1, 2, 3}), {{1, 2, 1, 1}}),
            "ZeroPoint has 3 values, expected 1 or 2 (one a channel)");
  EXPECT_EQ(testing::infer_error(make({0}), {{1, 2, 1, 1}}), "Scale is 0, expected a positive number");
  EXPECT_EQ(testing::infer_error(make({1}, {200}), {{1, 2, 1, 1}}), "ZeroPoint is 200, expected -128 to 127");
}

}  // namespace
}  // namespace n2d2::ops
