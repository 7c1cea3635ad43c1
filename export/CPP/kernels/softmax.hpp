// Answers: which share of its group does each channel have?
// Part of an exported project; may be used without condition.
//
// Integers: d is the distance of a value to the largest of its group, E = powers[d] (0 from `entries` on), S
// is the sum of E; y = rescale((E * floor(2^46 / S)) >> 22, factor[0]), in 1/2^24. powers[0] is 2^16, the
// largest. Floats: y = clamp(e^(x - largest) / sum). Config fields, besides those of plane.hpp (in_, out_,
// bottom_up; out_w, out_h, out_c equal in_w, in_h, in_c) and rescale.hpp (lo, hi, shift, factor_step = 0):
//   group         channels of a group; divides out_c; at most 32767
//   entries       entries of the table; not read in a float network
// The output may start exactly on the input if the elements have the same size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class In>
N2D2_INLINE In largest_of(const In* x, int n) {
  In largest = x[0];
  for (int i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

N2D2_INLINE int32_t power_at(const int32_t* powers, int entries, int distance) {
  return distance < entries ? powers[distance] : 0;
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void share_out(const C& c, const In* x, Out* y, const int32_t* powers, const Factor* factor) {
  const int largest = largest_of(x, c.group);
  int64_t sum = 0;
  for (int i = 0; i < c.group; ++i) sum += power_at(powers, c.entries, largest - x[i]);
  const int64_t reciprocal = (static_cast<int64_t>(1) << 46) / sum;
  for (int i = 0; i < c.group; ++i) {
    const int64_t share = (power_at(powers, c.entries, largest - x[i]) * reciprocal) >> 22;
    y[i] = rescale<Out>(c, static_cast<int32_t>(share), factor[0]);
  }
}
template <class C, class Out, class Factor>
N2D2_INLINE void share_out(const C& c, const float* x, Out* y, const int32_t*, const Factor*) {
  const float largest = largest_of(x, c.group);
  float sum = 0;
  for (int i = 0; i < c.group; ++i) sum += expf(x[i] - largest);
  for (int i = 0; i < c.group; ++i) y[i] = clamp_to<Out>(c, expf(x[i] - largest) / sum);
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void softmax_map(const C& c, Rows rows, const In* in, Out* out, const Factor* factor,
                             const int32_t* powers) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < dst.w; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      for (int first = 0; first < dst.c; first += c.group)
        share_out(c, in + src.row_at(y) + src.pixel_at(x) + first,
                  out + dst.row_at(y) + dst.pixel_at(x) + first, powers, factor);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
