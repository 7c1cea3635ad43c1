#include "n2d2/base/random.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(Rng, IsAFunctionOfItsKey) {
  EXPECT_EQ(Rng(1, "flip", 2, 3).next(), Rng(1, "flip", 2, 3).next());
  EXPECT_NE(Rng(1, "flip", 2, 3).next(), Rng(1, "flip", 3, 2).next());
  EXPECT_NE(Rng(1, "flip").next(), Rng(1, "crop").next());
  EXPECT_NE(Rng(1).next(), Rng(2).next());
}

TEST(Rng, HasTheMomentsOfItsDistributions) {
  constexpr int kDraws = 100000;
  constexpr double kTolerance = 0.02;  // six standard errors of the mean of 1e5 normals
  Rng rng(7, "moments");
  double sum = 0, squares = 0, uniform = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
    uniform += rng.uniform();
  }
  EXPECT_NEAR(sum / kDraws, 0, kTolerance);
  EXPECT_NEAR(squares / kDraws, 1, 2 * kTolerance);
  EXPECT_NEAR(uniform / kDraws, 0.5, kTolerance);
}

TEST(Rng, BelowStaysBelow) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) EXPECT_LT(rng.below(7), 7U);
}

TEST(Shuffled, IsAPermutation) {
  Rng rng(3);
  auto order = shuffled(50, rng);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int64_t i = 0; i < 50; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

}  // namespace
}  // namespace n2d2
