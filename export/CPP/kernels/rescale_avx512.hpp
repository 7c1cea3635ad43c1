// Answers: how is a run of 32-bit sums rescaled in the floating-point form with AVX-512?
// Part of an exported project; may be used without condition.
//
// No config fields of its own; a form of kernels.list. The same five steps as the scalar form: convert, multiply,
// clamp, nearest even, narrow.
// Stack: none of note. Scratch: none.
#pragma once

#include <immintrin.h>

#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Sums to outputs as 32-bit integers inside [lo, hi].
N2D2_INLINE __m512i rescale_16(__m512i sums, __m512 factor, __m512 lo, __m512 hi) {
  const __m512 v = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xffff, sums), factor);
  return _mm512_maskz_cvtps_epi32(0xffff,
                                  _mm512_maskz_min_ps(0xffff, _mm512_maskz_max_ps(0xffff, v, lo), hi));
}

template <class Out>
struct RescaleBytes {
  template <class C>
  static N2D2_INLINE void run(const C& c, const int32_t* sums, const float* factor, int n, Out* out) {
    biased(c, sums, 0, factor, n, out);
  }
  // `bias` may be null.
  template <class C>
  static N2D2_INLINE void biased(const C& c, const int32_t* sums, const int32_t* bias, const float* factor,
                                 int n, Out* out) {
    const __m512 lo = _mm512_set1_ps(static_cast<float>(c.lo));
    const __m512 hi = _mm512_set1_ps(static_cast<float>(c.hi));
    for (int i = 0; i < n; i += 16) {
      const __mmask16 mask = static_cast<__mmask16>(n - i < 16 ? (1u << (n - i)) - 1u : 0xffffu);
      const __m512 s = c.factor_step ? _mm512_maskz_loadu_ps(mask, factor + i) : _mm512_set1_ps(factor[0]);
      __m512i sum = _mm512_maskz_loadu_epi32(mask, sums + i);
      if (bias) sum = _mm512_add_epi32(sum, _mm512_maskz_loadu_epi32(mask, bias + i));
      const __m512i y = rescale_16(sum, s, lo, hi);
      _mm512_mask_cvtepi32_storeu_epi8(out + i, mask, y);
    }
  }
};

template <>
struct Rescale<int32_t, float, uint8_t> : RescaleBytes<uint8_t> {};
template <>
struct Rescale<int32_t, float, int8_t> : RescaleBytes<int8_t> {};

template <class C>
N2D2_INLINE void rescale_biased(const C& c, int32_t* sums, const int32_t* bias, const float* factor, int n,
                                uint8_t* out) {
  RescaleBytes<uint8_t>::biased(c, sums, bias, factor, n, out);
}
template <class C>
N2D2_INLINE void rescale_biased(const C& c, int32_t* sums, const int32_t* bias, const float* factor, int n,
                                int8_t* out) {
  RescaleBytes<int8_t>::biased(c, sums, bias, factor, n, out);
}

}  // namespace N2D2_EXPORT_NAMESPACE
