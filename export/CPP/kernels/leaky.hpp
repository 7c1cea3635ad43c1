// Answers: what does a rectifier compute that leaks below zero?
// Part of an exported project; may be used without condition.
//
// y = rescale(x > 0 ? x * above : x * below, factor); in a float network no factor. Config fields, besides those of
// plane.hpp (in_, out_, bottom_up; out_w, out_h, out_c equal in_w, in_h, in_c) and rescale.hpp (lo, hi, shift,
// factor_step):
//   above, below          int; the products fit into the accumulator. float in a float network
// factor [out_c] or [1] by factor_step.
// The output may lie exactly on the input if the elements have the same size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out, class Factor>
struct LeakyRun {
  typedef typename SumOf<In>::type Sum;
  const C& c;
  const In* in;
  Out* out;
  const Factor* factor;

  N2D2_INLINE void operator()(int y, int x, int first, int n) const {
    const Plane src = in_plane(c);
    const Plane dst = out_plane(c);
    const In* from = in + src.row_at(y) + src.pixel_at(x) + first;
    const Sum above = static_cast<Sum>(c.above);
    const Sum below = static_cast<Sum>(c.below);
    Sum sums[RunOf<Sum>::kSize];
    N2D2_LOOP
    for (int i = 0; i < n; ++i) sums[i] = static_cast<Sum>(from[i]) * (from[i] > 0 ? above : below);
    rescale_run(c, sums, factor + first * c.factor_step, n, out + dst.row_at(y) + dst.pixel_at(x) + first);
  }
};

template <class C, class In, class Out, class Factor>
N2D2_INLINE void leaky(const C& c, Rows rows, const In* in, Out* out, const Factor* factor) {
  const LeakyRun<C, In, Out, Factor> use = {c, in, out, factor};
  const bool dense = in_plane(c).dense_rows() && out_plane(c).dense_rows();
  for_runs<RunOf<typename SumOf<In>::type>::kSize>(out_plane(c), rows, c.bottom_up,
                                                   dense && c.factor_step == 0, use);
}

}  // namespace N2D2_EXPORT_NAMESPACE
