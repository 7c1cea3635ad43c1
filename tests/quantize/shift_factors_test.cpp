#include "integers/shift_factors.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace n2d2::quantize {
namespace {

using ::testing::ElementsAre;

/// Powers of two in a factor, each at least 2^-30.
int terms_of(double factor) {
  const double parts = std::ldexp(factor, 30);
  EXPECT_EQ(parts, std::floor(parts)) << factor;
  return __builtin_popcountll(static_cast<unsigned long long>(parts));
}

TEST(ShiftedFactor, IsNearAndHasSoManyTerms) {
  for (int terms = 1; terms <= 2; ++terms) {
    double largest = 0;
    for (double f = 1; f > 1e-8; f *= 0.9973) {
      const double shifted = shifted_factor(f, terms);
      EXPECT_LE(terms_of(shifted), terms) << f;
      EXPECT_GE(shifted, 0.98 * f);
      largest = std::max(largest, shifted / f);
    }
    // Just above 0.98 of a power of two the next one is taken; with two terms just above 0.98 of 3/4 of it.
    EXPECT_NEAR(largest, terms == 1 ? 2 * 0.98 : 0.98 * 4 / 3, 0.01);
  }
}

TEST(ShiftedFactor, TakesWhatIsExactAsItIs) {
  for (const double f : {1.0, 0.5, 0.0078125}) EXPECT_EQ(shifted_factor(f, 1), f);
  for (const double f : {1.0, 0.75, 0.5, 0.5625, 0.5 + std::ldexp(1, -30)})
    EXPECT_EQ(shifted_factor(f, 2), f);
}

TEST(ShiftedFactor, DoublesTheLastTermWhereTooLittleIsThere) {
  EXPECT_EQ(shifted_factor(0.7, 1), 1);      // 0.5 is 71 %
  EXPECT_EQ(shifted_factor(0.505, 1), 0.5);  // 99 %
  EXPECT_EQ(shifted_factor(0.8, 2), 1);      // 0.75 is 94 %
  EXPECT_EQ(shifted_factor(0.6, 2), 0.625);  // 0.5625 is 94 %
  EXPECT_EQ(shifted_factor(0.76, 2), 0.75);  // 99 %
}

TEST(ShiftedFactor, StopsAtTheLastBitOfSums) {
  EXPECT_EQ(shifted_factor(1e-12, 1), std::ldexp(1, -30));
  EXPECT_EQ(shifted_factor(1e-12, 2), std::ldexp(1, -30));
  EXPECT_EQ(shifted_factor(std::ldexp(1.5, -30), 2), std::ldexp(1, -29));
  EXPECT_EQ(shifted_factor(std::ldexp(16.9, -30), 2), std::ldexp(17, -30));
}

/// The sum of shifts as it is written: no product.
int64_t shifted(int64_t x, const std::vector<int>& exponents) {
  const int last = exponents.back();
  const int64_t half = last > 0 ? int64_t{1} << (last - 1) : 0;
  int64_t sum = half;
  for (const int e : exponents) sum += x * (int64_t{1} << (last - e));
  return sum >> last;
}

TEST(ShiftMultipliers, GiveTheIntegersOfTheShifts) {
  const std::vector<std::vector<int>> exponents = {{3}, {0}, {7, 9}, {1, 1}, {2, 20}};
  std::vector<double> factors;
  for (const auto& list : exponents) {
    factors.push_back(0);
    for (const int e : list) factors.back() += std::ldexp(1, -e);
  }
  const auto found = shift_multipliers(factors, 2, 1e9);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->shift, 20);
  for (size_t i = 0; i < factors.size(); ++i)
    for (const int64_t x : {0, 1, -1, 3, 4, -4, 5, 12, -12, 1000003, -1000003, 2147483647, -2147483647})
      EXPECT_EQ((x * found->multiplier[i] + (int64_t{1} << 19)) >> 20, shifted(x, exponents[i])) << x;
}

TEST(ShiftMultipliers, ForgiveWhatDoublesRoundAndNothingElse) {
  const double above = 0.25 * (1 + 1e-15), below = 0.25 * (1 - 1e-15);
  EXPECT_THAT(shift_multipliers({above, below}, 1, 1e9)->multiplier, ElementsAre(1, 1));
  EXPECT_FALSE(shift_multipliers({0.25, 0.2501}, 1, 1e9));
  EXPECT_FALSE(shift_multipliers({0.75}, 1, 1e9));
  EXPECT_TRUE(shift_multipliers({0.75}, 2, 1e9));
  EXPECT_FALSE(shift_multipliers({0.25, 0}, 1, 1e9));
}

TEST(ShiftMultipliers, StayWithin64Bits) {
  const std::vector<double> apart = {1, std::ldexp(1, -30)};
  EXPECT_TRUE(shift_multipliers(apart, 1, std::ldexp(1, 31)));
  EXPECT_FALSE(shift_multipliers(apart, 1, std::ldexp(1, 32)));
}

}  // namespace
}  // namespace n2d2::quantize
