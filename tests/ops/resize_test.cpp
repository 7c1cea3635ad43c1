#include "n2d2/ops/resize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using testing::values;

Resize make(int width, int height, ResizeMode mode, ResizePositions positions = ResizePositions::Asymmetric) {
  Resize op;
  op.output_width = width;
  op.output_height = height;
  op.mode = mode;
  op.positions = positions;
  return op;
}

std::vector<float> row(const Resize& op, const std::vector<float>& in) {
  return values(testing::forward(op, {Tensor::from({1, 1, 1, static_cast<int64_t>(in.size())}, in)}));
}

constexpr auto kNearest = ResizeMode::NearestNeighbor;
constexpr auto kLinear = ResizeMode::BilinearTF;

TEST(Resize, NearestRepeatsPixels) {
  const Tensor x = Tensor::from({1, 2, 1, 2}, {1, 2, 3, 4});
  EXPECT_THAT(values(testing::forward(make(4, 2, kNearest), {x})),
              ElementsAre(1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4));
  EXPECT_THAT(row(make(2, 1, kNearest), {1, 2, 3, 4, 5}), ElementsAre(1, 3));
}

TEST(Resize, LinearPositionsFollowTheirFormula) {
  const std::vector<float> x{0, 10, 20, 30};
  using P = ResizePositions;
  EXPECT_THAT(row(make(8, 1, kLinear, P::Asymmetric), x), ElementsAre(0, 5, 10, 15, 20, 25, 30, 30));
  EXPECT_THAT(row(make(7, 1, kLinear, P::AlignCorners), x), ElementsAre(0, 5, 10, 15, 20, 25, 30));
  EXPECT_THAT(row(make(8, 1, kLinear, P::HalfPixel), x),
              ElementsAre(0, 2.5F, 7.5F, 12.5F, 17.5F, 22.5F, 27.5F, 30));
  EXPECT_THAT(row(make(1, 1, kLinear, P::HalfPixel), x), ElementsAre(15));
  EXPECT_THAT(row(make(1, 1, kLinear, P::PytorchHalfPixel), x), ElementsAre(0));
  EXPECT_THAT(row(make(2, 1, kLinear, P::PytorchHalfPixel), x), ElementsAre(5, 25));
  EXPECT_THAT(row(make(1, 1, kLinear, P::AlignCorners), x), ElementsAre(0));
  EXPECT_THAT(row(make(2, 1, kLinear, P::TfHalfPixel), x), ElementsAre(10, 30));
}

TEST(Resize, LinearMixesRowsAndColumns) {
  const Tensor x = Tensor::from({1, 1, 2, 2}, {0, 2, 4, 6});
  EXPECT_THAT(values(testing::forward(make(3, 3, kLinear, ResizePositions::AlignCorners), {x})),
              ElementsAre(0, 1, 2, 2, 3, 4, 4, 5, 6));
}

TEST(Resize, RoundingDecidesHalvesAndPixelsBetween) {
  // Three pixels from two: positions -1/6, 1/2, 7/6; with corners aligned 0, 1/2, 1.
  Resize op = make(3, 1, kNearest, ResizePositions::AlignCorners);
  const auto middle = [&](ResizeRounding rounding) {
    op.rounding = rounding;
    return row(op, {0, 1})[1];
  };
  EXPECT_EQ(middle(ResizeRounding::Floor), 0);
  EXPECT_EQ(middle(ResizeRounding::Ceil), 1);
  EXPECT_EQ(middle(ResizeRounding::RoundPreferFloor), 0);
  EXPECT_EQ(middle(ResizeRounding::RoundPreferCeil), 1);
  op = make(2, 1, kNearest, ResizePositions::AlignCorners);  // 0, 3
  op.rounding = ResizeRounding::Ceil;
  EXPECT_THAT(row(op, {5, 6, 7, 8}), ElementsAre(5, 8));
}

TEST(Resize, AGivenScaleActsInFloat) {
  // 3 / 0.6 is 5 in float32, but 4.9999998 with the float32 next to 0.6 in double.
  Resize op = make(6, 1, kNearest);
  op.scale_x = 0.6F;
  EXPECT_THAT(row(op, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), ElementsAre(0, 1, 3, 5, 6, 8));
  // 2 x 2.4 are 4 columns whose distance is 1 / 2.4, not 1 / 2.
  op = make(4, 1, kLinear);
  op.scale_x = 2.4F;
  EXPECT_THAT(row(op, {0, 24}), ElementsAre(0, FloatEq(10), FloatEq(20), 24));
}

TEST(Resize, GradientsAgreeWithFiniteDifferences) {
  for (const ResizeMode mode : {kNearest, kLinear})
    for (const auto& [width, height] : {std::pair{5, 7}, {2, 1}})
      for (const ResizePositions positions : {ResizePositions::AlignCorners, ResizePositions::HalfPixel})
        testing::expect_gradients(make(width, height, mode, positions), {{2, 2, 3, 4}});
}

TEST(Resize, TheNearestKeepsIntegersAndALineIsRescaled) {
  const std::vector<Shape> in{{1, 1, 4, 4}};
  EXPECT_EQ(make(2, 2, kNearest).integer_form(in).scale, graph::ScaleOf::OfInput);
  const graph::IntegerForm linear = make(2, 2, kLinear).integer_form(in);
  EXPECT_EQ(linear.scale, graph::ScaleOf::Own);
  EXPECT_EQ(linear.taps, Resize::kOne * Resize::kOne);
  EXPECT_EQ(linear.factors, (std::vector<std::vector<double>>{{std::ldexp(1.0, -20)}}));
}

TEST(Resize, RefusesAnEmptyMap) {
  EXPECT_EQ(testing::infer_error(make(0, 2, kNearest), {{1, 1, 2, 2}}),
            "OutputWidth is 0, expected at least 1");
}

}  // namespace
}  // namespace n2d2::ops
