// Answers: which values do inputs above a threshold, and all others, become in a float network?
// Part of an exported project; may be used without condition.
//
// y = clamp(x > threshold ? (keeps_above ? x : above) : (keeps_below ? x : below)). Config fields, but those
// of plane.hpp (in_, out_, bottom_up; out_w, out_h, out_c equal in_w, in_h, in_c) and rescale.hpp (lo, hi):
//   threshold, above, below    float
//   keeps_above, keeps_below   1: values on that side stay unchanged
// The output may start exactly on the input.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Sides {
  template <class C>
  static N2D2_INLINE void run(const C& c, const float* x, const float*, int n, float* y) {
    const float threshold = c.threshold, above = c.above, below = c.below;
    for (int i = 0; i < n; ++i)
      y[i] = clamp_to<float>(
          c, x[i] > threshold ? (c.keeps_above ? x[i] : above) : (c.keeps_below ? x[i] : below));
  }
};

template <class C>
N2D2_INLINE void threshold(const C& c, Rows rows, const float* in, float* out) {
  const float unused = 0.0f;
  for_factor_runs<Sides, RunOf<float>::kSize>(c, rows, in, out, &unused);
}

}  // namespace N2D2_EXPORT_NAMESPACE
