// Answers: how are the tiles of dot_portable.hpp computed with the 8-bit products of AVX-512 VNNI?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. The instruction multiplies unsigned by signed bytes
// and does not saturate. Signed inputs are read as value + 128. A second sum adds up 128 times the weights
// and is subtracted afterwards (exact modulo 2^32). A mask limits the load of the last piece of a run, so
// nothing beyond the run is read.
// Stack: up to 4 KiB with its layer. Scratch: none.
#pragma once

#include <immintrin.h>

#include "dot_portable.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// A mask of ones compiles to the plain instruction; g++ 12 warns wrongly about the intrinsics without a mask.
N2D2_INLINE __m512i low_32(__m512i a, __m512i b) {
  return _mm512_maskz_unpacklo_epi32(0xffff, a, b);
}
N2D2_INLINE __m512i high_32(__m512i a, __m512i b) {
  return _mm512_maskz_unpackhi_epi32(0xffff, a, b);
}
N2D2_INLINE __m512i low_64(__m512i a, __m512i b) {
  return _mm512_maskz_unpacklo_epi64(0xff, a, b);
}
N2D2_INLINE __m512i high_64(__m512i a, __m512i b) {
  return _mm512_maskz_unpackhi_epi64(0xff, a, b);
}

// Lane i of each 128-bit part of the result holds this part's share of the total of vector i of a, b, c, d.
N2D2_INLINE __m512i fold_lanes(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i ab = _mm512_add_epi32(low_32(a, b), high_32(a, b));
  const __m512i cd = _mm512_add_epi32(low_32(c, d), high_32(c, d));
  return _mm512_add_epi32(low_64(ab, cd), high_64(ab, cd));
}

// Returns the sums of neighbouring 128-bit parts of a, then of b.
N2D2_INLINE __m512i fold_parts(__m512i a, __m512i b) {
  return _mm512_add_epi32(_mm512_maskz_shuffle_i32x4(0xffff, a, b, 0x88),
                          _mm512_maskz_shuffle_i32x4(0xffff, a, b, 0xdd));
}

N2D2_INLINE void store_4(int32_t* sums, __m128i totals) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(sums), totals);
}

// Offset is 128 for signed inputs, 0 for unsigned ones.
template <class In, int Offset>
struct DotVnni {
  enum { kPixels = 4, kOutputs = 4, kBlock = 64, kStep = 64, kShort = 0 };

  static N2D2_INLINE const char* name() { return "dot_avx512_vnni"; }

  // A vector of 16 sums; typed lanes keep the compiler from copying accumulators.
  typedef int32_t Lanes __attribute__((vector_size(64)));

  static N2D2_INLINE int32_t mul(In x, int8_t w) { return static_cast<int32_t>(x) * static_cast<int32_t>(w); }

  static N2D2_INLINE Lanes dot(Lanes sum, __m512i x, __m512i w) {
    return reinterpret_cast<Lanes>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), x, w));
  }

  static N2D2_INLINE __m512i input(const In* x, __mmask64 mask) {
    return shifted(_mm512_maskz_loadu_epi8(mask, x));
  }

  template <int P>
  static N2D2_INLINE void step(const In* const* x, const int8_t* const w[4], int i, __mmask64 mask,
                               Lanes (*sum)[4], Lanes* extra) {
    __m512i v[4];
    for (int n = 0; n < 4; ++n) {
      v[n] = _mm512_maskz_loadu_epi8(mask, w[n] + i);
      __asm__("" : "+v"(v[n]));  // one load for P windows, not one for each
    }
    if (Offset)
      for (int n = 0; n < 4; ++n) extra[n] = dot(extra[n], _mm512_set1_epi8(-128), v[n]);
    for (int p = 0; p < P; ++p) {
      const __m512i u = input(x[p] + i, mask);
      for (int n = 0; n < 4; ++n) sum[p][n] = dot(sum[p][n], u, v[n]);
    }
  }

  // Multiplies the runs of P windows with four filters.
  template <int P>
  struct Run {
    Lanes sum[P][4];
    Lanes extra[4];
    ptrdiff_t pixel, filter[4];
    int n;

    N2D2_INLINE void operator()(const In* from, const int8_t* weights, int) {
      const In* x[P];
      const int8_t* w[4];
      for (int p = 0; p < P; ++p) x[p] = from + p * pixel;
      for (int f = 0; f < 4; ++f) w[f] = weights + filter[f];
      int i = 0;
      for (; i + 64 <= n; i += 64) step<P>(x, w, i, ~static_cast<__mmask64>(0), sum, extra);
      if (i < n) step<P>(x, w, i, ~static_cast<__mmask64>(0) >> (64 - (n - i)), sum, extra);
    }
  };

  // Sums up P windows by 4 filters; row p of `folded` has shares of the four totals in each 128-bit part.
  template <int P>
  static N2D2_INLINE void accumulate(const Windows<In>& windows, const Filters<int8_t>& filters,
                                     __m512i* folded) {
    Run<P> run;
    const Lanes none = {};
    for (int f = 0; f < 4; ++f) {
      run.extra[f] = none;
      run.filter[f] = filters.at(f);
      for (int p = 0; p < P; ++p) run.sum[p][f] = none;
    }
    run.pixel = windows.pixel, run.n = windows.run;
    for_windows(windows, filters, run);
    for (int p = 0; p < P; ++p) {
      if (Offset)
        for (int f = 0; f < 4; ++f) run.sum[p][f] -= run.extra[f];
      folded[p] =
          fold_lanes(reinterpret_cast<__m512i>(run.sum[p][0]), reinterpret_cast<__m512i>(run.sum[p][1]),
                     reinterpret_cast<__m512i>(run.sum[p][2]), reinterpret_cast<__m512i>(run.sum[p][3]));
    }
  }

  // k <= 16: one vector holds the four rows of weights, and a window is repeated in all four parts.
  static N2D2_INLINE __m512i short_16(const In* const x[4], const int8_t* const w[4], int k) {
    const __mmask16 mask = static_cast<__mmask16>(0xffffu >> (16 - k));
    __m512i v = _mm512_maskz_broadcast_i32x4(0x000f, _mm_maskz_loadu_epi8(mask, w[0]));
    v = _mm512_mask_broadcast_i32x4(v, 0x00f0, _mm_maskz_loadu_epi8(mask, w[1]));
    v = _mm512_mask_broadcast_i32x4(v, 0x0f00, _mm_maskz_loadu_epi8(mask, w[2]));
    v = _mm512_mask_broadcast_i32x4(v, 0xf000, _mm_maskz_loadu_epi8(mask, w[3]));
    const Lanes start = less_extra(v);
    Lanes sum[4];
    for (int p = 0; p < 4; ++p)
      sum[p] = dot(start, shifted(_mm512_maskz_broadcast_i32x4(0xffff, _mm_maskz_loadu_epi8(mask, x[p]))), v);
    return fold_lanes(reinterpret_cast<__m512i>(sum[0]), reinterpret_cast<__m512i>(sum[1]),
                      reinterpret_cast<__m512i>(sum[2]), reinterpret_cast<__m512i>(sum[3]));
  }

  // k <= 32: a vector holds two rows of weights, and a window is repeated in both halves.
  static N2D2_INLINE __m512i short_32(const In* const x[4], const int8_t* const w[4], int k) {
    const __mmask32 mask = ~static_cast<__mmask32>(0) >> (32 - k);
    __m512i u[4];
    for (int p = 0; p < 4; ++p)
      u[p] = shifted(_mm512_maskz_broadcast_i64x4(0xff, _mm256_maskz_loadu_epi8(mask, x[p])));
    __m512i half[2];
    for (int h = 0; h < 2; ++h) {
      const __m512i low = _mm512_maskz_broadcast_i64x4(0x0f, _mm256_maskz_loadu_epi8(mask, w[2 * h]));
      const __m512i v = _mm512_mask_broadcast_i64x4(low, 0xf0, _mm256_maskz_loadu_epi8(mask, w[2 * h + 1]));
      const Lanes start = less_extra(v);
      half[h] = fold_lanes(
          reinterpret_cast<__m512i>(dot(start, u[0], v)), reinterpret_cast<__m512i>(dot(start, u[1], v)),
          reinterpret_cast<__m512i>(dot(start, u[2], v)), reinterpret_cast<__m512i>(dot(start, u[3], v)));
    }
    return fold_parts(half[0], half[1]);
  }

  static N2D2_INLINE __m512i shifted(__m512i x) {
    return Offset ? _mm512_xor_si512(x, _mm512_set1_epi8(-128)) : x;
  }

  // Returns -128 times the weights where the inputs are shifted.
  static N2D2_INLINE Lanes less_extra(__m512i w) {
    const Lanes none = {};
    return Offset ? none - dot(none, _mm512_set1_epi8(-128), w) : none;
  }

  // Computes windows of one run of up to 32 elements.
  static N2D2_INLINE void short_tile(const Windows<In>& windows, const Filters<int8_t>& filters,
                                     int32_t* sums, int step) {
    const In* x[4];
    const int8_t* w[4];
    for (int p = 0; p < 4; ++p) x[p] = windows.start + p * windows.pixel;
    for (int f = 0; f < 4; ++f) w[f] = filters.start + filters.at(f);
    const int k = windows.run;
    // Lane p of part n moves to lane n of part p.
    const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    const __m512i all = k <= 16 ? short_16(x, w, k) : short_32(x, w, k);
    store_4x4(_mm512_maskz_permutexvar_epi32(0xffff, order, all), sums, step);
  }

  static N2D2_INLINE void store_4x4(__m512i all, int32_t* sums, int step) {
    store_4(sums, _mm512_maskz_extracti32x4_epi32(0xf, all, 0));
    store_4(sums + step, _mm512_maskz_extracti32x4_epi32(0xf, all, 1));
    store_4(sums + 2 * step, _mm512_maskz_extracti32x4_epi32(0xf, all, 2));
    store_4(sums + 3 * step, _mm512_maskz_extracti32x4_epi32(0xf, all, 3));
  }

  template <int P>
  static N2D2_SHARED void tile(const Windows<In>& windows, const Filters<int8_t>& filters, int32_t* sums,
                               int step) {
    __m512i f[P];
    if (P == 4 && windows.rows == 1 && windows.taps == 1 && windows.run <= 32)
      return short_tile(windows, filters, sums, step);
    accumulate<P>(windows, filters, f);
    if (P == 4) {
      store_4x4(fold_parts(fold_parts(f[0], f[P / 4]), fold_parts(f[P / 2], f[P - 1])), sums, step);
    } else {
      const __m512i half = fold_parts(f[0], f[0]);
      store_4(sums, _mm512_maskz_extracti32x4_epi32(0xf, fold_parts(half, half), 0));
    }
  }
};

template <>
struct Dot<uint8_t, int8_t, int32_t> : DotVnni<uint8_t, 0> {};
template <>
struct Dot<int8_t, int8_t, int32_t> : DotVnni<int8_t, 128> {};

}  // namespace N2D2_EXPORT_NAMESPACE
