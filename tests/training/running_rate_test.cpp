#include "running_rate.hpp"

#include <gtest/gtest.h>

namespace n2d2::training {
namespace {

TEST(RunningRate, IsTheMeanOfTheLastSamplesOnly) {
  RunningRate rate(3);
  EXPECT_EQ(rate.rate(), 0);
  rate.add(1);
  EXPECT_DOUBLE_EQ(rate.rate(), 1);
  rate.add(0);
  EXPECT_DOUBLE_EQ(rate.rate(), 0.5);
  rate.add(0.5);
  EXPECT_DOUBLE_EQ(rate.rate(), 0.5);
  rate.add(0);
  rate.add(0);
  EXPECT_DOUBLE_EQ(rate.rate(), 0.5 / 3);
  rate.add(1);
  rate.add(1);
  rate.add(1);
  rate.add(1);
  EXPECT_DOUBLE_EQ(rate.rate(), 1);
}

TEST(RunningRate, RefusesAnEmptyWindow) {
  EXPECT_THROW(RunningRate(0), InternalError);
}

}  // namespace
}  // namespace n2d2::training
