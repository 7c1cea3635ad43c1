// Answers: how do the values of a tensor get another scale, one by one?
// Part of an exported project; may be used without condition.
//
// y = rescale(x, factor); in a float network y = clamp(x * factor).
// Config fields: those of plane.hpp (in_, out_, bottom_up; out_w, out_h, out_c equal in_w, in_h, in_c) and
// rescale.hpp (lo, hi, shift, factor_step). factor [out_c] or [1] by factor_step.
// The output may start exactly on the input if the elements have the same size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Scale {
  template <class C, class In, class Factor, class Out>
  static N2D2_INLINE void run(const C& c, const In* x, const Factor* factor, int n, Out* y) {
    typename SumOf<In>::type values[RunOf<typename SumOf<In>::type>::kSize];
    rescale_values(c, x, factor, n, values);
    narrow(values, n, y);
  }
  template <class C, class Factor, class Out>
  static N2D2_INLINE void run(const C& c, const float* x, const Factor* factor, int n, Out* y) {
    float values[RunOf<float>::kSize];
    for (int i = 0; i < n; ++i) values[i] = x[i];
    for (int i = 0; i < n; ++i) y[i] = clamp_to<Out>(c, values[i] * factor[i * c.factor_step]);
  }
};

template <class C, class In, class Out, class Factor>
N2D2_INLINE void scaling(const C& c, Rows rows, const In* in, Out* out, const Factor* factor) {
  for_factor_runs<Scale, RunOf<typename SumOf<In>::type>::kSize>(c, rows, in, out, factor);
}

}  // namespace N2D2_EXPORT_NAMESPACE
