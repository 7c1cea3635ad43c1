// Answers: which logarithm has the share of each channel?
// Part of an exported project; may be used without condition.
//
// Integers: d is the distance of a value to the largest of its pixel, E = powers[d] (0 from `entries` on), S
// is the sum of E; y = rescale(-(256 d + L(S)), factor[0]), L as curve.hpp says, from entry 704 on, which is
// that of S = powers[0] = 2^16. Floats: y = clamp(x - largest - ln(sum of e^(x - largest))). Config fields,
// besides those of plane.hpp (in_, out_, bottom_up; out_w, out_h, out_c equal in_w, in_h, in_c; out_c <=
// 32767) and rescale.hpp (lo, hi, shift, factor_step = 0):
//   entries       entries of the table of powers; not read in a float network
// The output may start exactly on the input if the elements have the same size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "curve.hpp"
#include "softmax.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out, class Factor>
N2D2_INLINE void logarithms(const C& c, const In* x, Out* y, const int32_t* powers, const int32_t* curve,
                            const Factor* factor) {
  typedef typename SumOf<In>::type Sum;
  const int largest = largest_of(x, c.out_c);
  int64_t sum = 0;
  for (int i = 0; i < c.out_c; ++i) sum += power_at(powers, c.entries, largest - x[i]);
  const Sum logarithm = static_cast<Sum>(on_curve(curve, 704, sum));
  for (int i = 0; i < c.out_c; ++i)
    y[i] =
        rescale<Out>(c, static_cast<Sum>(-(256 * static_cast<Sum>(largest - x[i]) + logarithm)), factor[0]);
}
template <class C, class Out, class Factor>
N2D2_INLINE void logarithms(const C& c, const float* x, Out* y, const int32_t*, const int32_t*,
                            const Factor*) {
  const float largest = largest_of(x, c.out_c);
  float sum = 0;
  for (int i = 0; i < c.out_c; ++i) sum += expf(x[i] - largest);
  const float logarithm = logf(sum);
  for (int i = 0; i < c.out_c; ++i) y[i] = clamp_to<Out>(c, x[i] - largest - logarithm);
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void log_softmax(const C& c, Rows rows, const In* in, Out* out, const Factor* factor,
                             const int32_t* powers, const int32_t* curve) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < dst.w; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      logarithms(c, in + src.row_at(y) + src.pixel_at(x), out + dst.row_at(y) + dst.pixel_at(x), powers,
                 curve, factor);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
