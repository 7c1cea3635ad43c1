// Answers: what is the floating-point form of rescale.hpp on a core without floating-point unit, in integers?
// Part of an exported project; may be used without condition.
//
// It has no config fields. A factor is made once of a float s, which is zero or a normal number; times(x) is
// rint(float(x) * s) in float32 for every int32_t x with |x * s| < 256, and elsewhere an integer of the same
// sign and a magnitude of at least 256. So it is exact once it is clamped to bounds within -256..256.
//
// The factor is s * 2^32, cut off. Where |x * s| < 256, its product misses x * s by less than kMissed, and
// that of float32 misses it by less than 2^-16. So both round alike unless the fraction is close to one
// half, where exact_product decides. Beyond 256 they miss by a relative 2^-16. All factors that are not in
// [2^-13, 2^-2) are left to exact_product.
// Stack: none of note. Scratch: none.
#pragma once

#include <string.h>

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

N2D2_INLINE uint32_t bits_of(float s) {
  uint32_t bits;
  memcpy(&bits, &s, sizeof(bits));
  return bits;
}

// Returns x / 2^n rounded to nearest, ties to even; n >= 1.
template <class Word>
N2D2_INLINE Word halves_to_even(Word x, int n) {
  return (x + (static_cast<Word>(1) << (n - 1)) - 1 + ((x >> n) & 1)) >> n;
}

// Returns the number of bits of x > 0.
template <class Word>
N2D2_INLINE int bit_length(Word x) {
  int n = 1;
  for (int step = 4 * static_cast<int>(sizeof(Word)); step > 0; step /= 2)
    if ((x >> step) != 0) x >>= step, n += step;
  return n;
}

// Returns rint(float(x) * s) of the float s with these bits, saturated to 2^24 beyond 2^23. The steps are
// those of float32: x is rounded to 24 bits, the product to 24 bits, and then to an integer.
N2D2_APART int32_t exact_product(int32_t x, uint32_t bits) {
  enum { kBits = 24 };
  const int exponent = static_cast<int>(bits << 1 >> 24);
  if (x == 0 || exponent == 0) return 0;
  int point = 150 - exponent;  // s is an integer of 24 bits over 2^point
  uint32_t a = x < 0 ? 0 - static_cast<uint32_t>(x) : static_cast<uint32_t>(x);
  const int longer = bit_length(a) - kBits;
  if (longer > 0) a = halves_to_even(a, longer), point -= longer;
  uint64_t product = static_cast<uint64_t>(a) * ((bits & 0x7fffff) | 0x800000);
  const int excess = bit_length(product) - kBits;
  if (excess > 0) product = halves_to_even(product, excess), point -= excess;
  const uint32_t v = static_cast<uint32_t>(product);
  const int32_t y = point <= 0           ? 1 << kBits
                    : point <= kBits + 1 ? static_cast<int32_t>(halves_to_even(v, point))
                                         : 0;
  return (x < 0) != (bits >> 31 != 0) ? -y : y;
}

// Returns (x * m + low) / 2^32 rounded down, and sets low to the fraction; 0 <= m < 2^30, |x| <= 2^29.
// Without a product of 64 bits, four of 32 bits: fractions of less than 2^-16 are left out, at most 2^-16
// is missed, and low must be a multiple of 2^16.
N2D2_INLINE int32_t long_product(int32_t x, int32_t m, uint32_t& low) {
#if !N2D2_LONG_PRODUCT
  const int32_t x1 = x >> 16, m1 = m >> 16;
  const uint32_t x0 = static_cast<uint32_t>(x) & 0xffff, m0 = static_cast<uint32_t>(m) & 0xffff;
  const int32_t middle =
      static_cast<int32_t>((x0 * m0 >> 16) + x0 * static_cast<uint32_t>(m1) + (low >> 16)) +
      x1 * static_cast<int32_t>(m0);
  low = static_cast<uint32_t>(middle) << 16;
  return x1 * m1 + (middle >> 16);
#elif defined(N2D2_ISA_THUMB)
  int32_t high = 0;
  __asm__("smlal %0, %1, %2, %3" : "+r"(low), "+r"(high) : "r"(x), "r"(m));
  return high;
#else
  const int64_t y = static_cast<int64_t>(x) * m + low;
  low = static_cast<uint32_t>(y);
  return static_cast<int32_t>(y >> 32);
#endif
}

struct FactorByIntegers {
  // Fractions of 2^-32. Where |x * s| < 256, products miss by less than 2^-11 + 2^-15.
  enum { kMissed = 0x00220000 };
  uint32_t bits;
  int32_t m;  // 0: exact_product decides

  static N2D2_INLINE FactorByIntegers of(float s) {
    const uint32_t bits = bits_of(s), exponent = bits >> 23;  // with the sign
    const uint32_t m = exponent - 114 < 11 ? (bits << 8 | 0x80000000u) >> (126 - exponent) : 0;
    const FactorByIntegers f = {bits, static_cast<int32_t>(m)};
    return f;
  }
  // As times(), for |x| <= 2^29.
  N2D2_INLINE int32_t times_short(int32_t x) const {
    uint32_t fraction = 0x80000000u + kMissed;
    const int32_t y = long_product(x, m, fraction);
    return m == 0 || fraction < 2u * kMissed ? exact_product(x, bits) : y;
  }
  N2D2_INLINE int32_t times(int32_t x) const {
    const uint32_t most = 1u << 29;
    if (!N2D2_LONG_PRODUCT && static_cast<uint32_t>(x) + most > 2 * most) return exact_product(x, bits);
    return times_short(x);
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
