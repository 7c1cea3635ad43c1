#include "n2d2/ops/quantize_activation.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/ops/fake_quantize.hpp"

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

QuantizeActivation sat(int levels) {
  QuantizeActivation op;
  op.levels = levels;
  return op;
}

QuantizeActivation lsq(int levels, bool is_signed = false) {
  QuantizeActivation op;
  op.method = QuantizeMethod::LSQ;
  op.levels = levels;
  op.is_signed = is_signed;
  return op;
}

Tensor row(std::vector<float> values) {
  const auto width = static_cast<int64_t>(values.size());
  return Tensor::from({1, 1, 1, width}, std::move(values));
}

Tensor one(float value) {
  return Tensor::from(Shape{1}, {value});
}

TEST(QuantizeActivation, SatRoundsToStepsOfAlphaOverRange) {
  // alpha 6, R 15: step 0.4; 2.5 is 6.25 steps, 0.3 are 0.75
  const Tensor x = row({-1, 0, 0.3F, 2.5F, 5.9F, 6, 100});
  EXPECT_THAT(testing::values(testing::forward(sat(15), {x, one(6)})),
              ElementsAre(0, 0, 0.4F, 6 * 0.4F, 15 * 0.4F, 15 * 0.4F, 15 * 0.4F));
  // A negative alpha is that of its size.
  EXPECT_EQ(testing::values(testing::forward(sat(15), {x, one(-6)})),
            testing::values(testing::forward(sat(15), {x, one(6)})));
}

TEST(QuantizeActivation, SatGradientsAreThoseComputedByHand) {
  const Tensor x = row({-1, 0, 0.3F, 2.5F, 6, 100}), d_y = row({1, 2, 3, 4, 5, 6});
  const auto d = testing::backward(sat(15), {x, one(6)}, d_y);
  EXPECT_THAT(testing::values(d.at(0)), ElementsAre(0, 0, 3, 4, 5, 0));
  // r - q: (1 - 0.75) / 15 and (6 - 6.25) / 15; 1 from alpha on
  const double expected = 3 * 0.25 / 15 - 4 * 0.25 / 15 + 5 + 6;
  EXPECT_NEAR(d.at(1).span()[0], expected, 1e-5);
  EXPECT_NEAR(testing::backward(sat(15), {x, one(-6)}, d_y).at(1).span()[0], -expected, 1e-5);
}

TEST(QuantizeActivation, LsqRoundsToItsStep) {
  const Tensor x = row({-1, 0.1F, 0.3F, 1.9F, 50});
  EXPECT_THAT(testing::values(testing::forward(lsq(7), {x, one(0.25F)})),
              ElementsAre(0, 0, 0.25F, 1.75F, 1.75F));
  // 7 steps of both signs: -4 .. 3
  EXPECT_THAT(testing::values(testing::forward(lsq(7, true), {x, one(0.25F)})),
              ElementsAre(-1, 0, 0.25F, 0.75F, 0.75F));
}

TEST(QuantizeActivation, LsqGradientsAreThoseComputedByHand) {
  // v = -4 0.4 1.2 6.8 200, inside 0 .. 7: the middle three
  const Tensor x = row({-1, 0.1F, 0.3F, 1.7F, 50}), d_y = row({1, 2, 3, 4, 5});
  const auto d = testing::backward(lsq(7), {x, one(0.25F)}, d_y);
  EXPECT_THAT(testing::values(d.at(0)), ElementsAre(0, 2, 3, 4, 0));
  // -0.4 * 2 - 0.2 * 3 + 0.2 * 4 + 7 * 5, over sqrt(5 * 7)
  EXPECT_NEAR(d.at(1).span()[0], (-0.8 - 0.6 + 0.8 + 35) / std::sqrt(35.0), 1e-5);
  const auto both =
      testing::backward(lsq(7, true), {x, one(0.5F)}, d_y);  // v = -2 0.2 0.6 3.4 100 in -4 .. 3
  EXPECT_THAT(testing::values(both.at(0)), ElementsAre(1, 2, 3, 0, 0));
  EXPECT_NEAR(both.at(1).span()[0], (-0.2 * 2 + 0.4 * 3 + 3 * 4 + 3 * 5) / std::sqrt(5 * 3.0), 1e-5);
}

TEST(QuantizeActivation, GivesTheValuesOfTheFixedGridThatItIsFrozenTo) {
  Tensor x = testing::spread({2, 3, 5, 7}, 3);
  for (float& value : x.span()) value *= 3;
  for (const auto& [op, learnt] :
       {std::pair{sat(15), 4.7F}, {sat(255), 1.3F}, {lsq(15), 0.31F}, {lsq(255, true), 0.013F}}) {
    const QuantizeActivation::Grid grid = op.grid(learnt);
    FakeQuantize fixed;
    fixed.scale = {grid.step};
    fixed.bits = 8;
    fixed.is_signed = op.is_signed;
    fixed.bounds = {static_cast<int>(grid.lowest), static_cast<int>(grid.highest)};
    EXPECT_EQ(testing::values(testing::forward(op, {x, one(learnt)})),
              testing::values(testing::forward(fixed, {x})));
  }
}

TEST(QuantizeActivation, MeasuresItsFirstStepWhereAsked) {
  const Tensor x = row({-1, 0.5F, 2, 4.5F});  // mean of sizes 2
  QuantizeActivation op = lsq(15);
  op.init = StepInit::Batch;
  EXPECT_FALSE(op.mixes_samples());
  op.measures = true;
  EXPECT_TRUE(op.mixes_samples());
  const Tensor start = one(0);
  Tensor y(x.shape()), learnt = start;
  std::vector<const Tensor*> in{&x, &start};
  std::vector<Tensor*> out{&y}, state{nullptr, &learnt};
  std::vector<Tensor> saved;
  op.forward({in, out, true, {}, &saved});
  op.absorb(saved, state, x.shape());
  EXPECT_NEAR(learnt.span()[0], 2 * 2 / std::sqrt(15.0), 1e-6);
  EXPECT_EQ(testing::values(y), testing::values(testing::forward(lsq(15), {x, learnt})));
  // A step that is there stays.
  saved.clear();
  const Tensor given = one(0.5F);
  in[1] = &given;
  op.forward({in, out, true, {}, &saved});
  EXPECT_TRUE(saved.empty());
}

TEST(QuantizeActivation, CalibratedStartHasASmallSquaredError) {
  Tensor x({1, 1, 1, 4096});
  Rng rng(7);
  for (float& value : x.span()) value = static_cast<float>(rng.normal());
  x.span()[0] = 40;  // an outlier, to which no grid should stretch
  for (QuantizeActivation op : {lsq(15), sat(15), lsq(15, true)}) {
    op.init = StepInit::Calibrated;
    const float found = op.first_value(x.span());
    const auto error_with = [&](float learnt) {
      double error = 0;
      const auto y = testing::values(testing::forward(op, {x, one(learnt)}));
      for (size_t i = 0; i < y.size(); ++i) error += (y[i] - x.span()[i]) * (y[i] - x.span()[i]);
      return error;
    };
    EXPECT_LT(error_with(found), error_with(2 * found));
    EXPECT_LT(error_with(found), error_with(found / 2));
  }
  EXPECT_EQ(lsq(15).first_value(Tensor({1, 1, 1, 4}).span()), 1);
}

TEST(QuantizeActivation, RefusesWhatHasNoGrid) {
  EXPECT_EQ(testing::infer_error(sat(15), {{1, 2, 3, 3}, {2}}), "SAT_Alpha have shape 2, expected 1");
  QuantizeActivation both = sat(15);
  both.is_signed = true;
  EXPECT_EQ(testing::infer_error(both, {{1, 2, 3, 3}, {1}}),
            "Signed is 1, expected 0 with Method=SAT: its integers are not negative");
  EXPECT_EQ(testing::infer_error(lsq(8, true), {{1, 2, 3, 3}, {1}}),
            "Range is 8, expected an odd integer >= 3 with Signed=1");
  EXPECT_EQ(testing::infer_error(lsq(1, true), {{1, 2, 3, 3}, {1}}),
            "Range is 1, expected an odd integer >= 3 with Signed=1");
}

TEST(QuantizeActivation, SurrogateHoldsTheRounding) {
  const Tensor x = row({-1, 0.3F, 2.5F, 100});
  const Tensor alpha = one(6);
  const std::vector<const Tensor*> at{&x, &alpha};
  const auto held = sat(15).surrogate(at);
  const auto plain = testing::values(testing::forward(sat(15), {x, alpha}));
  const auto same = testing::values(testing::forward(*held, {x, alpha}));
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(same[i], plain[i], 1e-5);
  const auto moved = testing::values(testing::forward(*held, {row({-0.9F, 0.35F, 2.5F, 100}), one(9)}));
  EXPECT_THAT(moved, ElementsAre(FloatNear(0, 1e-6F), FloatNear(0.35F + 0.25F * 0.6F, 1e-6F),
                                 FloatNear(2.5F - 0.25F * 0.6F, 1e-6F), FloatNear(9, 1e-6F)));
}

}  // namespace
}  // namespace n2d2::ops
