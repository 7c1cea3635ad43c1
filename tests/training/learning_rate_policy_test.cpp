#include "learning_rate_policy.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"

namespace n2d2::training {
namespace {

RateSchedule schedule(LearningRatePolicy policy) {
  RateSchedule s;
  s.policy = policy;
  return s;
}

TEST(LearningRatePolicy, NoneStaysAtOne) {
  EXPECT_EQ(rate_factor(schedule(LearningRatePolicy::None), 123456, 4, 64), 1);
}

TEST(LearningRatePolicy, StepDecayCountsStimuliOfAllBatchesOfAnUpdate) {
  RateSchedule s = schedule(LearningRatePolicy::StepDecay);
  s.step_size = 1000;
  s.decay = 0.5;
  // 10 updates of 2 batches of 48 are 960 stimuli, 11 updates 1056, 21 updates 2016.
  EXPECT_DOUBLE_EQ(rate_factor(s, 10, 2, 48), 1);
  EXPECT_DOUBLE_EQ(rate_factor(s, 11, 2, 48), 0.5);
  EXPECT_DOUBLE_EQ(rate_factor(s, 21, 2, 48), 0.25);
}

TEST(LearningRatePolicy, ExponentialDecayFallsBySteps) {
  RateSchedule s = schedule(LearningRatePolicy::ExponentialDecay);
  s.step_size = 100;
  s.decay = 0.3;
  EXPECT_DOUBLE_EQ(rate_factor(s, 9, 1, 10), 1);
  EXPECT_NEAR(rate_factor(s, 10, 1, 10), 0.7408182206817179, 1e-15);
  EXPECT_NEAR(rate_factor(s, 25, 1, 10), 0.5488116360940264, 1e-15);
}

TEST(LearningRatePolicy, InvTDecayFallsBySteps) {
  RateSchedule s = schedule(LearningRatePolicy::InvTDecay);
  s.step_size = 10;
  s.decay = 0.25;
  EXPECT_DOUBLE_EQ(rate_factor(s, 4, 1, 10), 0.5);
  EXPECT_DOUBLE_EQ(rate_factor(s, 12, 1, 10), 0.25);
}

TEST(LearningRatePolicy, PolyDecayCountsUpdatesAndEndsAtZero) {
  RateSchedule s = schedule(LearningRatePolicy::PolyDecay);
  s.max_iterations = 100;
  s.power = 2;
  EXPECT_DOUBLE_EQ(rate_factor(s, 0, 4, 64), 1);
  EXPECT_DOUBLE_EQ(rate_factor(s, 50, 4, 64), 0.25);
  EXPECT_DOUBLE_EQ(rate_factor(s, 100, 4, 64), 0);
  EXPECT_DOUBLE_EQ(rate_factor(s, 150, 4, 64), 0);
}

TEST(LearningRatePolicy, InvDecayCountsUpdatesAndSaturates) {
  RateSchedule s = schedule(LearningRatePolicy::InvDecay);
  s.decay = 0.5;
  s.power = 2;
  EXPECT_DOUBLE_EQ(rate_factor(s, 2, 4, 64), 0.25);
  EXPECT_DOUBLE_EQ(rate_factor(s, 6, 4, 64), 0.0625);
  s.max_iterations = 2;
  EXPECT_DOUBLE_EQ(rate_factor(s, 6, 4, 64), 0.25);
}

TEST(LearningRatePolicy, CosineDecayWarmsUpThenFallsToItsFloor) {
  RateSchedule s = schedule(LearningRatePolicy::CosineDecay);
  s.warm_up_duration = 100;
  s.max_iterations = 500;
  s.min_decay = 0.1;
  EXPECT_DOUBLE_EQ(rate_factor(s, 0, 1, 10), 0.25);
  EXPECT_DOUBLE_EQ(rate_factor(s, 5, 1, 10), 0.625);
  EXPECT_DOUBLE_EQ(rate_factor(s, 10, 1, 10), 1);
  EXPECT_NEAR(rate_factor(s, 20, 1, 10), 0.1 + 0.9 * 0.8535533905932737, 1e-12);  // (1 + cos(pi/4)) / 2
  EXPECT_NEAR(rate_factor(s, 30, 1, 10), 0.55, 1e-12);
  EXPECT_NEAR(rate_factor(s, 50, 1, 10), 0.1, 1e-12);
}

TEST(LearningRatePolicy, CosineDecayStaysWhereItEnds) {
  RateSchedule s = schedule(LearningRatePolicy::CosineDecay);
  s.max_iterations = 500;
  EXPECT_NEAR(rate_factor(s, 75, 1, 10), 0, 1e-12);
  EXPECT_NEAR(rate_factor(s, 100, 1, 10), 0, 1e-12);
}

TEST(LearningRatePolicy, CosineDecayCountsItsLengthInStepsNotUpdates) {
  RateSchedule s = schedule(LearningRatePolicy::CosineDecay);
  s.step_size = 1000;  // an epoch
  s.max_iterations = 4;
  EXPECT_NEAR(rate_factor(s, 20, 1, 100), 0.5, 1e-12);
}

TEST(LearningRatePolicy, CosineDecayNeverGoesBelowZero) {
  RateSchedule s = schedule(LearningRatePolicy::CosineDecay);
  s.max_iterations = 10;
  s.min_decay = -1;
  EXPECT_EQ(rate_factor(s, 10, 1, 1), 0);
}

TEST(LearningRatePolicy, RefusesLengthsOfZero) {
  RateSchedule s = schedule(LearningRatePolicy::StepDecay);
  s.step_size = 0;
  EXPECT_THROW(rate_factor(s, 1, 1, 1), InternalError);
  EXPECT_THROW(rate_factor(schedule(LearningRatePolicy::PolyDecay), 1, 1, 1), InternalError);
  EXPECT_THROW(rate_factor(schedule(LearningRatePolicy::CosineDecay), 1, 1, 1), InternalError);
}

}  // namespace
}  // namespace n2d2::training
