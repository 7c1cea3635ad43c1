// Answers: what is the sum of products of a few windows with a few rows of weights?
// Part of an exported project; may be used without condition.
//
// No config fields. Dot<In, Weight, Sum> has two tiles; a window and a row of weights are k contiguous
// elements:
//   tile_4x4   sums[p * step + n] += dot(x[p], w[n]), p and n in [0, 4)
//   tile_1x4   sums[n] += dot(x, w[n])
// Integer sums must not leave Sum; all variants then give the same bits. Float sums may differ in their
// order.
#pragma once

#include "plane.hpp"

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && !defined(N2D2_PORTABLE_ONLY)
#include <immintrin.h>
#define N2D2_DOT_VNNI 1
#endif

namespace N2D2_EXPORT_NAMESPACE {

// Type in which one product is exact.
template <class Sum>
struct ProductOf {
  typedef int32_t type;
};
template <>
struct ProductOf<float> {
  typedef float type;
};

template <class In, class Weight, class Sum>
struct Dot {
  typedef typename ProductOf<Sum>::type Product;

  static N2D2_INLINE Sum mul(In x, Weight w) {
    return static_cast<Sum>(static_cast<Product>(x) * static_cast<Product>(w));
  }

  static N2D2_INLINE void tile_4x4(const In* const x[4], const Weight* const w[4], int k, Sum* sums,
                                   int step) {
    const In *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    const Weight *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];
    Sum s00 = 0, s01 = 0, s02 = 0, s03 = 0, s10 = 0, s11 = 0, s12 = 0, s13 = 0;
    Sum s20 = 0, s21 = 0, s22 = 0, s23 = 0, s30 = 0, s31 = 0, s32 = 0, s33 = 0;
#if defined(_OPENMP)
#pragma omp simd reduction(+ : s00, s01, s02, s03, s10, s11, s12, s13, s20, s21, s22, s23, s30, s31, s32, s33)
#endif
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

  static N2D2_INLINE void tile_1x4(const In* x, const Weight* const w[4], int k, Sum* sums) {
    const Weight *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];
    Sum s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#if defined(_OPENMP)
#pragma omp simd reduction(+ : s0, s1, s2, s3)
#endif
    for (int i = 0; i < k; ++i)
      s0 += mul(x[i], w0[i]), s1 += mul(x[i], w1[i]), s2 += mul(x[i], w2[i]), s3 += mul(x[i], w3[i]);
    add4(sums, s0, s1, s2, s3);
  }

 private:
  static N2D2_INLINE void add4(Sum* sums, Sum a, Sum b, Sum c, Sum d) {
    sums[0] += a, sums[1] += b, sums[2] += c, sums[3] += d;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
