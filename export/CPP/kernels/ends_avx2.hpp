// Answers: how are the sums of a tile rescaled and stored with AVX2?
// Part of an exported project; may be used without condition.
//
// No config fields of its own; a form of kernels.list: 8-bit outputs of the floating-point form, in the five steps of
// rescale.hpp. Of sums that are two vectors of 8, `low` and `high`.
// Stack: 128 bytes, where a block has fewer than 16 outputs. Scratch: none.
#pragma once

#include <immintrin.h>

#include "conv_packed.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Avx2Ends {
  // 8 sums to outputs as 32-bit integers inside [lo, hi].
  template <class Lanes>
  static N2D2_INLINE __m256i rescaled(const Lanes& sums, __m256 factor, __m256 lo, __m256 hi) {
    const __m256 v = _mm256_mul_ps(_mm256_cvtepi32_ps(reinterpret_cast<__m256i>(sums)), factor);
    return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(v, lo), hi));
  }
  // 16 outputs as bytes; they are inside of the type, so that packing never saturates.
  static N2D2_INLINE __m128i narrowed(__m256i low, __m256i high, bool is_signed) {
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
    const __m128i a = _mm256_castsi256_si128(words), b = _mm256_extracti128_si256(words, 1);
    return is_signed ? _mm_packs_epi16(a, b) : _mm_packus_epi16(a, b);
  }
};

// Factors of N blocks.
template <int N>
struct Avx2Factors {
  __m256 low, high;
  Avx2Factors<N - 1> rest;
};
template <>
struct Avx2Factors<0> {};

template <class Form, class Out>
struct Avx2BytesEnd {
  template <int N>
  struct Factors : Avx2Factors<N> {};

  template <class C>
  static N2D2_INLINE void load_from(const C&, const float*, int, Avx2Factors<0>&) {}
  template <class C, int N>
  static N2D2_INLINE void load_from(const C& c, const float* factor, int n, Avx2Factors<N>& f) {
    if (c.factor_step == 0) {
      f.low = f.high = _mm256_set1_ps(factor[0]);
    } else if (n >= kPackedOutputs) {
      f.low = _mm256_loadu_ps(factor), f.high = _mm256_loadu_ps(factor + 8);
    } else {
      float some[kPackedOutputs];
      for (int i = 0; i < kPackedOutputs; ++i) some[i] = factor[i < n ? i : 0];
      f.low = _mm256_loadu_ps(some), f.high = _mm256_loadu_ps(some + 8);
    }
    load_from(c, factor + kPackedOutputs * c.factor_step, n - kPackedOutputs, f.rest);
  }
  template <class C, int N>
  static N2D2_INLINE void load(const C& c, const float* factor, int first, int n, Factors<N>& f) {
    load_from(c, factor + first * c.factor_step, n, static_cast<Avx2Factors<N>&>(f));
  }
  template <class C>
  static N2D2_INLINE void put_from(const C&, const PackedSums<Form, 0>&, const Avx2Factors<0>&, int, Out*) {}
  template <class C, int N>
  static N2D2_INLINE void put_from(const C& c, const PackedSums<Form, N>& s, const Avx2Factors<N>& f, int n,
                                   Out* out) {
    const __m256 lo = _mm256_set1_ps(static_cast<float>(c.lo)), hi = _mm256_set1_ps(static_cast<float>(c.hi));
    const __m128i y = Avx2Ends::narrowed(Avx2Ends::rescaled(s.own.low, f.low, lo, hi),
                                         Avx2Ends::rescaled(s.own.high, f.high, lo, hi),
                                         static_cast<Out>(-1) < static_cast<Out>(0));
    if (n >= kPackedOutputs) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), y);
    } else {
      Out bytes[kPackedOutputs];
      _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), y);
      for (int i = 0; i < n; ++i) out[i] = bytes[i];
    }
    put_from(c, s.rest, f.rest, n - kPackedOutputs, out + kPackedOutputs);
  }
  template <class C, int N>
  static N2D2_INLINE void put(const C& c, const Stored<Out>& to, const PackedSums<Form, N>& s,
                              const Factors<N>& f, int pixel, int first, int n) {
    put_from(c, s, static_cast<const Avx2Factors<N>&>(f), n, to.out + out_plane(c).pixel_at(pixel) + first);
  }
};

template <class Form>
struct PackedEnd<Form, Stored<uint8_t>, float> : Avx2BytesEnd<Form, uint8_t> {};
template <class Form>
struct PackedEnd<Form, Stored<int8_t>, float> : Avx2BytesEnd<Form, int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE
