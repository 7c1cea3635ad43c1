// Answers: how is a run of 32-bit sums rescaled with AVX-512?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. The floating-point form has the five steps of the
// scalar one: convert, multiply, clamp, round to even, narrow. The fixed-point form computes in 64 bits, even
// lanes of 16 integers in one vector and odd lanes in another.
// Stack: none of note. Scratch: none.
#pragma once

#include <immintrin.h>

#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Returns outputs of 16 sums as 32-bit integers inside [lo, hi].
N2D2_INLINE __m512i rescale_16(__m512i sums, __m512 factor, __m512 lo, __m512 hi) {
  const __m512 v = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xffff, sums), factor);
  return _mm512_maskz_cvtps_epi32(0xffff,
                                  _mm512_maskz_min_ps(0xffff, _mm512_maskz_max_ps(0xffff, v, lo), hi));
}

struct SumLanes {
  __m512i even, odd;
};

// Returns (sum + h) >> shift inside [lo, hi] as 16 integers; bounds has lo, hi, shift.
template <class Bounds>
N2D2_INLINE __m512i finished(const Bounds& bounds, const SumLanes& sum) {
  const int f = bounds.shift;
  const __m512i half = _mm512_set1_epi64(f > 0 ? 1ll << (f > 0 ? f - 1 : 0) : 0);
  const __m512i lo = _mm512_set1_epi64(bounds.lo), hi = _mm512_set1_epi64(bounds.hi);
  const __m128i by = _mm_cvtsi32_si128(f);
  const __m512i lanes[2] = {sum.even, sum.odd};
  __m512i part[2];
  for (int i = 0; i < 2; ++i) {
    const __m512i rounded = _mm512_maskz_sra_epi64(0xff, _mm512_add_epi64(lanes[i], half), by);
    part[i] = _mm512_maskz_min_epi64(0xff, _mm512_maskz_max_epi64(0xff, rounded, lo), hi);
  }
  // Joins the low halves of the even lanes with those of the odd lanes.
  return _mm512_mask_mov_epi32(part[0], 0xaaaa, _mm512_maskz_slli_epi64(0xff, part[1], 32));
}

// Loads the factors of 16 sums and rescales the sums with them.
template <class Factor>
struct Avx512Rescale;
template <>
struct Avx512Rescale<float> {
  typedef __m512 Factors;
  static N2D2_INLINE Factors all(float factor) { return _mm512_set1_ps(factor); }
  static N2D2_INLINE Factors load(const float* from) { return _mm512_loadu_ps(from); }
  static N2D2_INLINE Factors load(__mmask16 mask, const float* from) {
    return _mm512_maskz_loadu_ps(mask, from);
  }
  template <class C>
  static N2D2_INLINE __m512i values(const C& c, __m512i sums, Factors factors) {
    return rescale_16(sums, factors, _mm512_set1_ps(static_cast<float>(c.lo)),
                      _mm512_set1_ps(static_cast<float>(c.hi)));
  }
  // Rescales sums that are narrowed to Out with saturation later. The narrowing clamps as the config asks if
  // the bounds are those of the type and sums times factors fit 32 bits.
  template <class Out, class C>
  static N2D2_INLINE __m512i narrowing(const C& c, __m512i sums, Factors factors) {
    const bool is_signed = static_cast<Out>(-1) < static_cast<Out>(0);
    if (c.small_factors && c.lo == (is_signed ? -128 : 0) && c.hi == (is_signed ? 127 : 255))
      return _mm512_maskz_cvtps_epi32(0xffff, _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xffff, sums), factors));
    return values(c, sums, factors);
  }
};
template <>
struct Avx512Rescale<int32_t> {
  typedef __m512i Factors;
  static N2D2_INLINE Factors all(int32_t multiplier) { return _mm512_set1_epi32(multiplier); }
  static N2D2_INLINE Factors load(const int32_t* from) { return _mm512_loadu_si512(from); }
  static N2D2_INLINE Factors load(__mmask16 mask, const int32_t* from) {
    return _mm512_maskz_loadu_epi32(mask, from);
  }
  template <class C>
  static N2D2_INLINE __m512i values(const C& c, __m512i sums, Factors factors) {
    const SumLanes products = {_mm512_maskz_mul_epi32(0xff, sums, factors),
                               _mm512_maskz_mul_epi32(0xff, _mm512_maskz_srli_epi64(0xff, sums, 32),
                                                      _mm512_maskz_srli_epi64(0xff, factors, 32))};
    return finished(c, products);
  }
  template <class Out, class C>
  static N2D2_INLINE __m512i narrowing(const C& c, __m512i sums, Factors factors) {
    return values(c, sums, factors);
  }
};

template <class Factor, class Out>
struct RescaleBytes {
  template <class C>
  static N2D2_INLINE void run(const C& c, const int32_t* sums, const Factor* factor, int n, Out* out) {
    biased(c, sums, 0, factor, n, out);
  }
  // `bias` may be null.
  template <class C>
  static N2D2_INLINE void biased(const C& c, const int32_t* sums, const int32_t* bias, const Factor* factor,
                                 int n, Out* out) {
    typedef Avx512Rescale<Factor> Lanes;
    for (int i = 0; i < n; i += 16) {
      const __mmask16 mask = static_cast<__mmask16>(n - i < 16 ? (1u << (n - i)) - 1u : 0xffffu);
      const typename Lanes::Factors f = c.factor_step ? Lanes::load(mask, factor + i) : Lanes::all(factor[0]);
      __m512i sum = _mm512_maskz_loadu_epi32(mask, sums + i);
      if (bias) sum = _mm512_add_epi32(sum, _mm512_maskz_loadu_epi32(mask, bias + i));
      _mm512_mask_cvtepi32_storeu_epi8(out + i, mask, Lanes::values(c, sum, f));
    }
  }
};

template <>
struct Rescale<int32_t, float, uint8_t> : RescaleBytes<float, uint8_t> {};
template <>
struct Rescale<int32_t, float, int8_t> : RescaleBytes<float, int8_t> {};
template <>
struct Rescale<int32_t, int32_t, uint8_t> : RescaleBytes<int32_t, uint8_t> {};
template <>
struct Rescale<int32_t, int32_t, int8_t> : RescaleBytes<int32_t, int8_t> {};

template <class C, class Factor>
N2D2_INLINE void rescale_biased(const C& c, int32_t* sums, const int32_t* bias, const Factor* factor, int n,
                                uint8_t* out) {
  RescaleBytes<Factor, uint8_t>::biased(c, sums, bias, factor, n, out);
}
template <class C, class Factor>
N2D2_INLINE void rescale_biased(const C& c, int32_t* sums, const int32_t* bias, const Factor* factor, int n,
                                int8_t* out) {
  RescaleBytes<Factor, int8_t>::biased(c, sums, bias, factor, n, out);
}

}  // namespace N2D2_EXPORT_NAMESPACE
