// Answers: what is the sum of products of a few windows with a few rows of weights?
// Part of an exported project; may be used without condition.
//
// No config fields. Dot<In, Weight, Sum> has two tiles; a window and a row of weights are k contiguous elements:
//   tile_4x4   sums[p * step + n] += dot(x[p], w[n]), p and n in [0, 4)
//   tile_1x4   sums[n] += dot(x, w[n])
// Integer sums must fit Sum; all variants then give the same bits. Float sums may differ in their order.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class Sum>
N2D2_INLINE void add4(Sum* sums, Sum a, Sum b, Sum c, Sum d) {
  sums[0] += a, sums[1] += b, sums[2] += c, sums[3] += d;
}

template <class In, class Weight, class Sum>
struct Dot {
  // One product; exact in int32_t for elements of up to 16 bits.
  static N2D2_INLINE Sum mul(In x, Weight w) { return static_cast<int32_t>(x) * static_cast<int32_t>(w); }

  static N2D2_SHARED void tile_4x4(const In* const x[4], const Weight* const w[4], int k, Sum* sums,
                                   int step) {
    const In *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    const Weight *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];
    Sum s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
    Sum s20 = 0, s21 = 0, s22 = 0, s23 = 0, s30 = 0, s31 = 0, s32 = 0, s33 = 0;
    for (int i = 0; i < k; ++i) {
      s00 += mul(x0[i], w0[i]), s01 += mul(x0[i], w1[i]), s02 += mul(x0[i], w2[i]), s03 += mul(x0[i], w3[i]);
      s10 += mul(x1[i], w0[i]), s11 += mul(x1[i], w1[i]), s12 += mul(x1[i], w2[i]), s13 += mul(x1[i], w3[i]);
      s20 += mul(x2[i], w0[i]), s21 += mul(x2[i], w1[i]), s22 += mul(x2[i], w2[i]), s23 += mul(x2[i], w3[i]);
      s30 += mul(x3[i], w0[i]), s31 += mul(x3[i], w1[i]), s32 += mul(x3[i], w2[i]), s33 += mul(x3[i], w3[i]);
    }
    add4(sums, s00, s01, s02, s03);
    add4(sums + step, s10, s11, s12, s13);
    add4(sums + 2 * step, s20, s21, s22, s23);
    add4(sums + 3 * step, s30, s31, s32, s33);
  }

  static N2D2_SHARED void tile_1x4(const In* x, const Weight* const w[4], int k, Sum* sums) {
    const Weight *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];
    Sum s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < k; ++i)
      s0 += mul(x[i], w0[i]), s1 += mul(x[i], w1[i]), s2 += mul(x[i], w2[i]), s3 += mul(x[i], w3[i]);
    add4(sums, s0, s1, s2, s3);
  }
};

// Floats: a compiler may not reorder a float sum by itself, so the lanes of the sum are written out.
template <>
struct Dot<float, float, float> {
  enum { kLanes = 8 };

  static N2D2_INLINE float mul(float x, float w) { return x * w; }

  static N2D2_INLINE float total(const float* lane) {
    float s = 0;
    for (int l = 0; l < kLanes; ++l) s += lane[l];
    return s;
  }

  static N2D2_SHARED void tile_1x4(const float* x, const float* const w[4], int k, float* sums) {
    float lane[4][kLanes] = {};
    int i = 0;
    for (; i + kLanes <= k; i += kLanes)
      for (int n = 0; n < 4; ++n)
        for (int l = 0; l < kLanes; ++l) lane[n][l] += x[i + l] * w[n][i + l];
    for (int n = 0; n < 4; ++n) {
      float s = total(lane[n]);
      for (int j = i; j < k; ++j) s += x[j] * w[n][j];
      sums[n] += s;
    }
  }

  static N2D2_SHARED void tile_4x4(const float* const x[4], const float* const w[4], int k, float* sums,
                                   int step) {
    for (int p = 0; p < 4; ++p) tile_1x4(x[p], w, k, sums + p * step);
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(N2D2_PORTABLE)
#include "dot_avx512.hpp"
#endif
