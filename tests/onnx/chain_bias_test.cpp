// Biases that make a rounding to the nearest what rounding down is.
#include "read/chain_bias.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"

namespace n2d2::onnx {
namespace {

int64_t floored(const Flooring& f, int64_t s) {
  const int64_t x = f.k * s + f.l;
  const int64_t down = x / f.d - (x % f.d < 0 ? 1 : 0);
  return std::clamp(down, f.lowest, f.highest);
}

/// As a program does it in floating point.
int64_t rounded(const Flooring& f, int64_t s, int64_t m, const ChainBias& bias) {
  const auto factor = static_cast<float>(static_cast<double>(f.k) / static_cast<double>(f.d * m));
  const float y = static_cast<float>(s * m + bias.parts) * factor;
  const float clamped = std::clamp(y, static_cast<float>(f.lowest), static_cast<float>(f.highest));
  return static_cast<int64_t>(std::nearbyintf(clamped));
}

/// How many of all sums have another result; each by one.
int64_t differing(const Flooring& f, int64_t m, const ChainBias& bias) {
  int64_t out = 0;
  for (int64_t s = -f.most; s <= f.most; ++s) {
    const int64_t off = std::abs(floored(f, s) - rounded(f, s, m, bias));
    EXPECT_LE(off, 1 + f.k / f.d) << s;
    out += off;
  }
  return out;
}

TEST(ChainBias, ThatIsExactIsSoForAllSums) {
  Rng rng(7, "chain biases");
  constexpr int kCases = 400;
  int exact = 0;
  for (int i = 0; i < kCases; ++i) {
    int64_t m = rng.chance(0.3) ? 1 : 1 + static_cast<int64_t>(rng.below(127));
    Flooring f;
    f.k = 1 + static_cast<int64_t>(rng.below(rng.chance(0.5) ? 300 : 10));
    f.d = int64_t{1} << (4 + rng.below(14));
    f.l = static_cast<int64_t>(rng.uniform(-4, 4) * static_cast<double>(f.d));
    f.lowest = rng.chance(0.5) ? 0 : -128, f.highest = f.lowest + (rng.chance(0.7) ? 255 : 15);
    f.most = 1 + static_cast<int64_t>(rng.below(60'000));
    while (m > 1 && (std::abs(f.l) + f.d) / f.k * m > int64_t{1} << 22) m /= 2;  // float32 holds the bias
    const ChainBias bias = bias_of(f, m);
    SCOPED_TRACE(::testing::Message() << "k " << f.k << " l " << f.l << " d " << f.d << " m " << m);
    const int64_t others = differing(f, m, bias);
    if (bias.is_exact) {
      EXPECT_EQ(others, 0);
      EXPECT_EQ(bias.moved, 0);
      ++exact;
    } else {
      EXPECT_GT(bias.moved, 0);
      EXPECT_LE(bias.moved, static_cast<double>(f.k) / static_cast<double>(f.d * m) * 1.001 + 1e-4);
    }
  }
  EXPECT_GT(exact, kCases / 2);
  EXPECT_LT(exact, kCases);
}

/// floor((sum / 64 * 50 + 0) / 32): half of the multiples of 64 are results.
TEST(ChainBias, OfAGlobalAverageIsExactWithFinerWeights) {
  const Flooring average{50, 0, 32 * 64, 0, 255, 64 * 255, false};
  EXPECT_TRUE(bias_of(average, 127).is_exact);
  EXPECT_EQ(differing(average, 127, bias_of(average, 127)), 0);
  const Flooring one{1, 0, 32, 0, 255, 255 * 64, false};
  EXPECT_FALSE(bias_of(one, 1).is_exact) << "results begin at ties";
  EXPECT_TRUE(bias_of(one, 2).is_exact);
}

/// 64 equal values v times k, plus l, are a multiple of d again and again.
TEST(ChainBias, OfAnAverageKeepsTheMultiples) {
  Rng rng(8, "averages of equal values");
  int others = 0;
  for (int i = 0; i < 200; ++i) {
    const int64_t shift = int64_t{1} << (3 + rng.below(8));
    Flooring f{1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(2 * shift))),
               0,
               64 * shift,
               0,
               255,
               64 * 255,
               true};
    f.l = static_cast<int64_t>(rng.below(4)) * f.d;
    const ChainBias bias = bias_of(f, 127);
    others += bias.is_exact ? 0 : 1;
    for (int64_t v = 0; v <= 255; ++v)
      ASSERT_EQ(floored(f, 64 * v), rounded(f, 64 * v, 127, bias)) << f.k << " / " << f.d << ", " << v;
  }
  EXPECT_GT(others, 20) << "some are not exact for all sums";
}

TEST(ChainBias, OfResultsThatNoSumReachesIsFree) {
  const Flooring none{3, 1 << 20, 1 << 10, 0, 255, 10, false};
  EXPECT_TRUE(bias_of(none, 1).is_exact);
  EXPECT_EQ(differing(none, 1, bias_of(none, 1)), 0);
}

TEST(ChainBias, OfTooManyResultsIsNotWalked) {
  const Flooring many{3, 5, 7, -(int64_t{1} << 40), int64_t{1} << 40, 10, false};
  EXPECT_FALSE(bias_of(many, 1).is_exact);
}

}  // namespace
}  // namespace n2d2::onnx
