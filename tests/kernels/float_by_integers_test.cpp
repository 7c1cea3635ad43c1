#include "float_by_integers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "cases.hpp"
#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {
namespace {

using N2D2_Export::FactorByIntegers;

constexpr uint32_t kSign = 0x80000000;

float float_of(uint32_t bits) {
  float s;
  std::memcpy(&s, &bits, sizeof(s));
  return s;
}

/// The definition, within the bounds that hold for all types of 8 bits.
int32_t by_floats(int32_t x, float s) {
  return static_cast<int32_t>(std::rint(std::clamp(static_cast<float>(x) * s, -256.0F, 256.0F)));
}
int32_t clamped(int32_t y) {
  return std::clamp(y, -256, 256);
}

void expect_all_equal(int32_t x, uint32_t bits) {
  const float s = float_of(bits);
  const int32_t wanted = by_floats(x, s);
  ASSERT_EQ(clamped(N2D2_Export::exact_product(x, bits)), wanted) << "exact: " << x << " * " << s;
  ASSERT_EQ(clamped(FactorByIntegers::of(s).times(x)), wanted) << x << " * " << s;
}

int32_t saturated(double x) {
  return static_cast<int32_t>(std::clamp(x, -2147483648.0, 2147483647.0));
}

// All fractions of one half between the bounds, with every exponent of a factor that makes any of them.
TEST(FloatByIntegers, RoundsAroundTiesAsFloats) {
  for (uint32_t exponent = 90; exponent <= 136 && !testing::Test::HasFatalFailure(); ++exponent)
    for (const uint32_t mantissa : {0U, 1U, 0x1000U, 0x400000U, 0x400001U, 0x5a5a5aU, 0x7fffffU})
      for (int twice = -515; twice <= 515; ++twice) {
        const uint32_t bits = exponent << 23 | mantissa;
        const double x = twice * 0.5 / static_cast<double>(float_of(bits));
        for (const int beside : {-1, 0, 1}) expect_all_equal(saturated(std::rint(x) + beside), bits);
      }
}

TEST(FloatByIntegers, RoundsAllSmallSumsOfShortFactorsAsFloats) {
  for (uint32_t exponent = 110; exponent <= 127 && !testing::Test::HasFatalFailure(); ++exponent)
    for (uint32_t eighths = 0; eighths < 8; ++eighths)
      for (int32_t x = -3000; x <= 3000; ++x) expect_all_equal(x, exponent << 23 | eighths << 20);
}

TEST(FloatByIntegers, RoundsRandomSumsAsFloats) {
  Generator random(1);
  for (int i = 0; i < cases(400000) && !testing::Test::HasFatalFailure(); ++i) {
    const auto mantissa = static_cast<uint32_t>(random.in(0, 0x7fffff));
    const uint32_t sign = random.one_in(8) ? kSign : 0;
    const uint32_t bits = sign | static_cast<uint32_t>(random.in(100, 130)) << 23 | mantissa;
    const double near = random.in(-70000, 70000) / 256.0;
    expect_all_equal(saturated(near / static_cast<double>(float_of(bits))), bits);
    expect_all_equal(random.in(-(1 << 30), 1 << 30) >> random.in(0, 29), bits);
  }
}

TEST(FloatByIntegers, SaturatesTheLargestSums) {
  for (const uint32_t exponent : {1U, 60U, 95U, 96U, 97U, 111U, 112U, 116U, 125U, 126U, 150U, 254U})
    for (const uint32_t sign : {0U, kSign})
      for (const int32_t x :
           {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::min() + 1, -1, 0, 1,
            std::numeric_limits<int32_t>::max() - 1, std::numeric_limits<int32_t>::max()})
        expect_all_equal(x, sign | exponent << 23 | 0x123456);
}

TEST(FloatByIntegers, ZeroGivesZero) {
  for (const int32_t x : {-1000, 0, 1, 2147483647}) expect_all_equal(x, 0);
}

}  // namespace
}  // namespace n2d2::kernels_test
