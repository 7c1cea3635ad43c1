#include "rescale.hpp"

#include "cases.hpp"
#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {
namespace {

Config<int> bounds(int lo, int hi, int shift) {
  Config<int> c;
  c.lo = lo, c.hi = hi, c.shift = shift;
  return c;
}

TEST(RescaleFloatingPoint, RoundsTiesToEven) {
  const Config<int> c = bounds(-128, 127, 0);
  const int expected[][2] = {{1, 0}, {3, 2}, {5, 2}, {7, 4}, {-1, 0}, {-3, -2}, {-5, -2}, {-7, -4}};
  for (const auto& pair : expected)
    EXPECT_EQ(N2D2_Export::rescale<int8_t>(c, int32_t(pair[0]), 0.5F), pair[1]);
}

TEST(RescaleFloatingPoint, ClampsBeforeItConverts) {
  const Config<int> c = bounds(-100, 90, 0);
  EXPECT_EQ(N2D2_Export::rescale<int8_t>(c, int32_t(2147483647), 1e9F), 90);
  EXPECT_EQ(N2D2_Export::rescale<int8_t>(c, int32_t(-2147483647), 1e9F), -100);
  EXPECT_EQ(N2D2_Export::rescale<int8_t>(c, int64_t(1) << 62, 3.0F), 90);
}

TEST(RescaleFixedPoint, RoundsHalvesUpward) {
  const Config<int> c = bounds(-128, 127, 1);
  const int expected[][2] = {{1, 1}, {3, 2}, {-1, 0}, {-3, -1}, {-5, -2}, {4, 2}, {-4, -2}};
  for (const auto& pair : expected)
    EXPECT_EQ(N2D2_Export::rescale<int8_t>(c, int32_t(pair[0]), int32_t(1)), pair[1]);
}

TEST(RescaleFixedPoint, AddsNothingWithoutFractionalBits) {
  const Config<int> c = bounds(-128, 127, 0);
  EXPECT_EQ(N2D2_Export::rescale<int8_t>(c, int32_t(-7), int32_t(3)), -21);
}

TEST(RescaleFixedPoint, WritesSingleAndDoubleShiftsAsMultipliers) {
  for (int32_t x = -3000; x < 3000; x += 7)
    for (int e = 1; e < 8; ++e) {
      const Config<int> c = bounds(-30000, 30000, 8);
      const int32_t h = 1 << (e - 1);
      EXPECT_EQ(N2D2_Export::rescale<int16_t>(c, x, int32_t(1 << (8 - e))), (x + h) >> e);
      EXPECT_EQ(N2D2_Export::rescale<int16_t>(c, x, int32_t(5 << (8 - e))), (x + x * 4 + h) >> e);
    }
}

TEST(RescaleFloatNetwork, OnlyClamps) {
  Config<float> c;
  c.lo = 0.0F, c.hi = 6.0F;
  EXPECT_EQ(N2D2_Export::rescale<float>(c, 2.25F, 100.0F), 2.25F);
  EXPECT_EQ(N2D2_Export::rescale<float>(c, -2.25F, 100.0F), 0.0F);
  EXPECT_EQ(N2D2_Export::rescale<float>(c, 7.0F, 100.0F), 6.0F);
}

template <class Sum, class Out>
void compare_with_oracle(Generator& random, int64_t range) {
  const int lo = std::numeric_limits<Out>::min(), hi = std::numeric_limits<Out>::max();
  for (int i = 0; i < cases(20000); ++i) {
    const Sum x = random.values<Sum>(1, -range, range)[0];
    // Ties are rare among arbitrary factors, frequent among powers of two.
    const float s = random.one_in(2) ? 1.0F / static_cast<float>(1 << random.in(0, 20))
                                     : static_cast<float>(random.in(1, 1 << 20)) * 1e-9F;
    ASSERT_EQ(N2D2_Export::rescale<Out>(bounds(lo, hi, 0), x, s), oracle::rescale_float(x, s, lo, hi))
        << x << " " << s;
    const int f = random.in(0, 40);
    const int32_t m = random.in(0, 0x7fffff);
    ASSERT_EQ(N2D2_Export::rescale<Out>(bounds(lo, hi, f), x, m), oracle::rescale_fixed(x, m, f, lo, hi))
        << x << " " << m << " " << f;
  }
}

TEST(Rescale, EqualsTheOracleOnRandomSums) {
  Generator random(1);
  compare_with_oracle<int32_t, int8_t>(random, 0x7fffffff);
  compare_with_oracle<int32_t, uint8_t>(random, 0xffff);
  compare_with_oracle<int64_t, int16_t>(random, int64_t(1) << 38);
  compare_with_oracle<int64_t, uint16_t>(random, int64_t(1) << 24);
}

}  // namespace
}  // namespace n2d2::kernels_test
