// Answers: how are 32-bit sums rescaled to bytes with AVX2?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. The floating-point form has the five steps of the
// scalar one: convert, multiply, clamp, round to even, narrow. The fixed-point form computes in 64 bits, even
// lanes of 8 integers in one vector and odd lanes in another.
// Stack: 192 bytes for a run of fewer than 16. Scratch: none.
#pragma once

#include <immintrin.h>

#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Avx2Wide {
  __m256i even, odd;
};

// Returns the products of 8 integers with 8 others.
N2D2_INLINE Avx2Wide products_of(__m256i x, __m256i m) {
  const Avx2Wide p = {_mm256_mul_epi32(x, m),
                      _mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(m, 32))};
  return p;
}

// Returns `value` in lanes where a is above b, `otherwise` elsewhere.
N2D2_INLINE __m256i where_above(__m256i a, __m256i b, __m256i value, __m256i otherwise) {
  return _mm256_blendv_epi8(otherwise, value, _mm256_cmpgt_epi64(a, b));
}

// Returns (x + h) >> shift inside [lo, hi] of 8 integers in 64 bits, as 32-bit ones. `fits`: they fit before
// clamping. A logical shift of sign-adjusted numbers replaces the missing arithmetic shift of 64 bits.
template <class Bounds>
N2D2_INLINE __m256i rounded(const Bounds& bounds, const Avx2Wide& x, bool fits) {
  const int f = bounds.shift;
  const uint64_t sign = static_cast<uint64_t>(1) << 63;
  const uint64_t half = f > 0 ? static_cast<uint64_t>(1) << (f > 0 ? f - 1 : 0) : 0;
  const __m256i start = _mm256_set1_epi64x(static_cast<int64_t>(sign + half));
  const __m256i back = _mm256_set1_epi64x(static_cast<int64_t>(sign >> f));
  const __m128i by = _mm_cvtsi32_si128(f);
  __m256i even = _mm256_sub_epi64(_mm256_srl_epi64(_mm256_add_epi64(x.even, start), by), back);
  __m256i odd = _mm256_sub_epi64(_mm256_srl_epi64(_mm256_add_epi64(x.odd, start), by), back);
  if (!fits) {
    const __m256i lo = _mm256_set1_epi64x(bounds.lo), hi = _mm256_set1_epi64x(bounds.hi);
    even = where_above(lo, even, lo, even), odd = where_above(lo, odd, lo, odd);
    even = where_above(even, hi, hi, even), odd = where_above(odd, hi, hi, odd);
  }
  const __m256i all = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
  return _mm256_min_epi32(_mm256_max_epi32(all, _mm256_set1_epi32(bounds.lo)), _mm256_set1_epi32(bounds.hi));
}

// Loads 8 factors and rescales 8 sums with them, to integers inside [lo, hi].
template <class Factor>
struct Avx2Rescale;
template <>
struct Avx2Rescale<float> {
  typedef __m256 Factors;
  static N2D2_INLINE Factors load(const float* from) { return _mm256_loadu_ps(from); }
  static N2D2_INLINE Factors all(float factor) { return _mm256_set1_ps(factor); }
  template <class C>
  static N2D2_INLINE __m256i values(const C& c, __m256i sums, Factors factors) {
    const __m256 v = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), factors);
    const __m256 lo = _mm256_set1_ps(static_cast<float>(c.lo)), hi = _mm256_set1_ps(static_cast<float>(c.hi));
    return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(v, lo), hi));
  }
};
template <>
struct Avx2Rescale<int32_t> {
  typedef __m256i Factors;
  static N2D2_INLINE Factors load(const int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static N2D2_INLINE Factors all(int32_t multiplier) { return _mm256_set1_epi32(multiplier); }
  template <class C>
  static N2D2_INLINE __m256i values(const C& c, __m256i sums, Factors factors) {
    return rounded(c, products_of(sums, factors), c.shift >= 32);  // below 2^63 before clamping
  }
};

// Returns 16 integers as bytes, with saturation.
template <class Out>
N2D2_INLINE __m128i narrowed(__m256i low, __m256i high) {
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
  const __m128i a = _mm256_castsi256_si128(words), b = _mm256_extracti128_si256(words, 1);
  return static_cast<Out>(-1) < static_cast<Out>(0) ? _mm_packs_epi16(a, b) : _mm_packus_epi16(a, b);
}

// Stores the first n of 16 bytes.
template <class Out>
N2D2_INLINE void store_bytes(__m128i bytes, int n, Out* out) {
  if (n >= 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
  } else {
    Out some[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(some), bytes);
    for (int i = 0; i < n; ++i) out[i] = some[i];
  }
}

template <class Factor, class Out>
struct Avx2RescaleBytes {
  typedef Avx2Rescale<Factor> Lanes;

  static N2D2_INLINE __m256i load(const int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  // Returns 16 outputs.
  template <class C>
  static N2D2_INLINE __m128i bytes(const C& c, const int32_t* sums, const Factor* factor) {
    const typename Lanes::Factors low = c.factor_step ? Lanes::load(factor) : Lanes::all(factor[0]);
    const typename Lanes::Factors high = c.factor_step ? Lanes::load(factor + 8) : low;
    return narrowed<Out>(Lanes::values(c, load(sums), low), Lanes::values(c, load(sums + 8), high));
  }
  // The last step of a run of more than 16 computes some earlier outputs again.
  template <class C>
  static N2D2_INLINE void run(const C& c, const int32_t* sums, const Factor* factor, int n, Out* out) {
    if (n >= 16) {
      for (int i = 0; i < n; i += 16) {
        const int at = i + 16 <= n ? i : n - 16;
        store_bytes(bytes(c, sums + at, factor + at * c.factor_step), 16, out + at);
      }
      return;
    }
    int32_t some[16] = {};
    Factor factors[16] = {};
    for (int i = 0; i < n; ++i) some[i] = sums[i], factors[i] = factor[i * c.factor_step];
    store_bytes(bytes(c, some, factors), n, out);
  }
};

#if !defined(N2D2_ISA_AVX512)  // rescale_avx512.hpp has it
template <>
struct Rescale<int32_t, float, uint8_t> : Avx2RescaleBytes<float, uint8_t> {};
template <>
struct Rescale<int32_t, float, int8_t> : Avx2RescaleBytes<float, int8_t> {};
template <>
struct Rescale<int32_t, int32_t, uint8_t> : Avx2RescaleBytes<int32_t, uint8_t> {};
template <>
struct Rescale<int32_t, int32_t, int8_t> : Avx2RescaleBytes<int32_t, int8_t> {};
#endif

}  // namespace N2D2_EXPORT_NAMESPACE
