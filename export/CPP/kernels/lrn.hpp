// Answers: what is each value divided by a power of the energy of its neighbouring channels?
// Part of an exported project; may be used without condition.
//
// s is the sum of x^2 over the channels from `before` in front of the value to `after` behind it that exist.
// Integers: y = rescale(x * T(s), factor[0]), T as curve.hpp says, T(0) = 2^22 the largest entry. Floats:
// y = clamp(x * (k + alpha s)^-beta). Config fields, besides those of plane.hpp (in_, out_, bottom_up; out_w,
// out_h, out_c equal in_w, in_h, in_c) and rescale.hpp (lo, hi, shift, factor_step = 0):
//   before, after    neighbours, >= 0
//   k, alpha, beta   float; not read in an integer network
// The output must not overlap the input rows that this or a later output row reads.
// Stack: none of note. Scratch: none.
#pragma once

#include "curve.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out, class Factor>
N2D2_INLINE void normalize_pixel(const C& c, const In* x, Out* y, const int32_t* curve,
                                 const Factor* factor) {
  typedef typename SumOf<In>::type Sum;
  Sum sum = 0;
  for (int k = 0; k < smaller(c.after, c.out_c); ++k) sum += static_cast<Sum>(x[k]) * static_cast<Sum>(x[k]);
  for (int k = 0; k < c.out_c; ++k) {
    const int in = k + c.after;
    const int out = k - c.before - 1;
    if (in < c.out_c) sum += static_cast<Sum>(x[in]) * static_cast<Sum>(x[in]);
    if (out >= 0) sum -= static_cast<Sum>(x[out]) * static_cast<Sum>(x[out]);
    y[k] = rescale<Out>(c, static_cast<Sum>(x[k]) * static_cast<Sum>(on_curve(curve, 0, sum)), factor[0]);
  }
}
template <class C, class Out, class Factor>
N2D2_INLINE void normalize_pixel(const C& c, const float* x, Out* y, const int32_t*, const Factor*) {
  for (int k = 0; k < c.out_c; ++k) {
    const int end = smaller(k + c.after + 1, c.out_c);
    float sum = 0;
    for (int j = k > c.before ? k - c.before : 0; j < end; ++j) sum += x[j] * x[j];
    y[k] = clamp_to<Out>(c, x[k] * powf(c.k + c.alpha * sum, -c.beta));
  }
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void lrn(const C& c, Rows rows, const In* in, Out* out, const Factor* factor,
                     const int32_t* curve) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < dst.w; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      normalize_pixel(c, in + src.row_at(y) + src.pixel_at(x), out + dst.row_at(y) + dst.pixel_at(x), curve,
                      factor);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
