// Answers: what does a rectifier with a slope below zero compute?
// Part of an exported project; may be used without condition.
//
// y = rescale(x > 0 ? x * above : x * below, factor); in a float network no factor. Config fields: those of
// plane.hpp (in_, out_, bottom_up; out_w, out_h, out_c equal in_w, in_h, in_c), of rescale.hpp (lo, hi,
// shift, factor_step), and
//   above, below          int; the products fit into the accumulator. float in a float network
// factor [out_c] or [1] by factor_step.
// The output may start exactly on the input if the elements have the same size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Leak {
  template <class C, class In, class Factor, class Out>
  static N2D2_INLINE void run(const C& c, const In* in, const Factor* factor, int n, Out* out) {
    typedef typename SumOf<In>::type Sum;
    const Sum above = static_cast<Sum>(c.above);
    const Sum below = static_cast<Sum>(c.below);
    Sum sums[RunOf<Sum>::kSize];
    N2D2_LOOP
    for (int i = 0; i < n; ++i) sums[i] = static_cast<Sum>(in[i]) * (in[i] > 0 ? above : below);
    rescale_run(c, sums, factor, n, out);
  }
};

template <class C, class In, class Out, class Factor>
N2D2_INLINE void leaky(const C& c, Rows rows, const In* in, Out* out, const Factor* factor) {
  for_factor_runs<Leak, RunOf<typename SumOf<In>::type>::kSize>(c, rows, in, out, factor);
}

}  // namespace N2D2_EXPORT_NAMESPACE
