#include "integers/rescale_factors.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"

namespace n2d2::quantize {
namespace {

using ::testing::ElementsAre;

constexpr double kOf32 = 2147483647.0, kOf16 = 32767.0;

std::vector<Factor> factors_of(const std::vector<double>& precise) {
  std::vector<Factor> out;
  for (const double f : precise) out.push_back({static_cast<float>(f), f});
  return out;
}

/// clamp(floor(x M + 1/2), lo, hi) of the factor itself, with more bits than a double has.
int64_t exact(int64_t x, double factor, const Bounds& bounds) {
  const long double y = std::floor(static_cast<long double>(x) * static_cast<long double>(factor) + 0.5L);
  return static_cast<int64_t>(
      std::clamp(y, static_cast<long double>(bounds.lo), static_cast<long double>(bounds.hi)));
}

/// From 1e-9 to 1e9, either sign.
double any_factor(Rng& rng) {
  return std::pow(10.0, rng.uniform(-9, 9)) * (rng.uniform(0, 1) < 0.2 ? -1 : 1);
}

/// A few sums around 0, or anywhere.
Interval any_sums(Rng& rng) {
  const double from =
      rng.uniform(0, 1) < 0.5 ? std::floor(rng.uniform(-4, 5)) : std::floor(rng.uniform(-1e6, 1e6));
  return {from, from + std::floor(rng.uniform(0, 40))};
}

Bounds any_bounds(Rng& rng) {
  const auto span = static_cast<int64_t>(rng.uniform(1, 300));
  return rng.uniform(0, 1) < 0.5 ? Bounds{0, span} : Bounds{-span, span};
}

/// What Fixed-point32 makes of channels whose factors are limited, for every sum that they can have.
TEST(FixedPoint, LimitsFactorsOnlyWhereNoIntegerChanges) {
  Rng rng(7, "factors");
  int64_t limited = 0, constants = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<double> precise;
    Sums sums;
    const Bounds bounds = any_bounds(rng);
    for (int i = 0; i < 4; ++i) {
      precise.push_back(any_factor(rng));
      sums.reach.push_back(any_sums(rng));
      sums.bound = std::max({sums.bound, -sums.reach.back().lo, sums.reach.back().hi});
    }
    const auto fixed = fixed_point(factors_of(precise), sums, bounds, kOf32, true);
    ASSERT_TRUE(fixed) << round;
    for (size_t i = 0; i < precise.size(); ++i) {
      const int32_t m = fixed->multipliers.multiplier[i];
      const int shift = fixed->multipliers.shift;
      constants += constant_output(precise[i], sums.reach[i], bounds) ? 1 : 0;
      if (static_cast<double>(m) == std::round(std::ldexp(precise[i], shift))) continue;
      ++limited;
      for (auto x = static_cast<int64_t>(sums.reach[i].lo); x <= static_cast<int64_t>(sums.reach[i].hi); ++x)
        ASSERT_EQ(rounded(x, m, shift, bounds.lo, bounds.hi), exact(x, precise[i], bounds))
            << "round " << round << ", sum " << x << ", factor " << precise[i];
    }
  }
  EXPECT_GT(limited, 1000);
  EXPECT_GT(constants, 1000);
}

TEST(FixedPoint, LeavesTheShiftToChannelsThatAreNotConstant) {
  const Sums sums{1000, {{0, 0}, {-1000, 1000}}};
  const auto fixed = fixed_point(factors_of({8.75e9, 1e-3}), sums, {0, 255}, kOf32, true);
  ASSERT_TRUE(fixed);
  const auto alone = fixed_point(factors_of({1e-3}), {1000, {{-1000, 1000}}}, {0, 255}, kOf32, true);
  EXPECT_EQ(fixed->multipliers.shift, alone->multipliers.shift);
  EXPECT_EQ(fixed->multipliers.multiplier[1], alone->multipliers.multiplier[0]);
  EXPECT_EQ(fixed->limited, 1);
}

/// 8.75e9 makes 255 of 5; with the shift of the other channel no multiplier does.
TEST(FixedPoint, KeepsAConstantThatItsMultiplierWouldNotGive) {
  const Sums sums{1000, {{5, 9}, {-1000, 1000}}};
  const auto fixed = fixed_point(factors_of({8.75e9, 1e-9}), sums, {0, 255}, kOf32, true);
  ASSERT_TRUE(fixed);
  EXPECT_EQ(rounded(5, fixed->multipliers.multiplier[0], fixed->multipliers.shift, 0, 255), 255);
}

TEST(FixedPoint, JudgesNoFactorOfASumByItself) {
  EXPECT_FALSE(fixed_point(factors_of({1e12, 1}), {255, {}}, {0, 255}, kOf32, true));
}

/// In 16 bits what saturates would leave nothing to the others: the caller takes 32.
TEST(FixedPoint, Of16BitsTakesConstantsButNotWhatSaturates) {
  const auto factors = factors_of({1e9, 0.25});
  EXPECT_TRUE(fixed_point(factors, {100, {{0, 0}, {-100, 100}}}, {0, 255}, kOf16, false));
  EXPECT_FALSE(fixed_point(factors, {100, {{-1, 1}, {-100, 100}}}, {0, 255}, kOf16, false));
  const auto node = graph::Node{};
  const auto made =
      make_rescale(node, RescaleMode::FixedPoint16, factors, {100, {{-1, 1}, {-100, 100}}}, {0, 255});
  EXPECT_EQ(made.rescale.mode, RescaleMode::FixedPoint32);
  EXPECT_EQ(made.limited, 1);
}

TEST(FixedPoint, OfShiftsGivesAConstantOnePowerOfTwo) {
  const auto node = graph::Node{};
  const Sums sums{2000, {{0, 0}, {-2000, 2000}, {300, 2000}}};
  const auto made = make_rescale(node, RescaleMode::SingleShift, factors_of({7e9, 0.125, 3}), sums, {0, 255});
  EXPECT_EQ(made.rescale.mode, RescaleMode::SingleShift);
  EXPECT_EQ(made.rescale.shift, 3);
  EXPECT_THAT(made.rescale.multiplier, ElementsAre(8, 1, 8));
  EXPECT_EQ(made.limited, 2);
}

TEST(ConstantOutput, TakesNoTieForGranted) {
  EXPECT_EQ(constant_output(0.5, {0, 0}, {0, 255}), 0);
  EXPECT_EQ(constant_output(0.1, {-9000, 4}, {0, 255}), 0);
  EXPECT_EQ(constant_output(-8e9, {1, 70}, {-128, 127}), -128);
  EXPECT_FALSE(constant_output(0.5, {0, 1}, {0, 255}));
  EXPECT_FALSE(constant_output(std::nextafter(0.5, 0.0), {0, 1}, {0, 255}));
  EXPECT_FALSE(constant_output(1e-30, {-INFINITY, INFINITY}, {0, 255}));
}

}  // namespace
}  // namespace n2d2::quantize
