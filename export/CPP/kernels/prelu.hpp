// Answers: what does a rectifier whose slope below zero is a parameter compute in a float network?
// Part of an exported project; may be used without condition.
//
// y = clamp(x > 0 ? x : slope x). Config fields: those of plane.hpp (in_, out_, bottom_up; out_w, out_h,
// out_c equal in_w, in_h, in_c) and rescale.hpp (lo, hi, factor_step). slopes [out_c] or [1] by factor_step.
// The output may start exactly on the input.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Slope {
  template <class C>
  static N2D2_INLINE void run(const C& c, const float* x, const float* slope, int n, float* y) {
    for (int i = 0; i < n; ++i)
      y[i] = clamp_to<float>(c, x[i] > 0.0f ? x[i] : slope[i * c.factor_step] * x[i]);
  }
};

template <class C>
N2D2_INLINE void prelu(const C& c, Rows rows, const float* in, float* out, const float* slopes) {
  for_factor_runs<Slope, RunOf<float>::kSize>(c, rows, in, out, slopes);
}

}  // namespace N2D2_EXPORT_NAMESPACE
