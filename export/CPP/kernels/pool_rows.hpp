// Answers: how is a whole map of 8 bits averaged row by row?
// Part of an exported project; may be used without condition.
//
// The average_pool of pool.hpp whose window is the map, without padding, in two steps and with the same bytes: pool_sums adds
// each row of the map to the running sums of its channels, pool_mean rescales the last of them. Output row y of pool_sums is
// row y - 1 of it and row y of the map; all of its rows may lie at one place (out_ring = 1, out_turn = out_row), which then is
// what is kept between two calls. Rows come top-down, each once. No config fields besides those of plane.hpp (in_, out_; out_c =
// in_c; the sums have out_w = 1, out_h = in_h) and, for pool_mean, rescale.hpp (lo, hi, shift, factor_step = 0).
// Output must not overlap the input.
// Stack: at most kStackBytes (plane.hpp). Scratch: none.
#pragma once

#include "pool.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In>
N2D2_INLINE void pool_sums(const C& c, Rows rows, const In* in, int32_t* out) {
  const Plane src = in_plane(c), dst = out_plane(c);
  for (int y = rows.first; y < rows.first + rows.count; ++y) {
    int32_t* to = out + dst.row_at(y);
    const int32_t* before = out + dst.row_at(y == 0 ? 0 : y - 1);
    for (int i = 0; i < c.in_c; ++i) to[i] = y == 0 ? 0 : before[i];
    for (int x = 0; x < c.in_w; ++x) {
      const In* pixel = in + src.row_at(y) + src.pixel_at(x);
      N2D2_LOOP
      for (int i = 0; i < c.in_c; ++i) to[i] += pixel[i];
    }
  }
}

template <class C, class Out, class Factor>
N2D2_INLINE void pool_mean(const C& c, Rows, const int32_t* in, Out* out, const Factor* factor) {
  enum { kBlock = PoolBlock<int32_t>::kSize };
  const int32_t* from = in + in_plane(c).row_at(c.in_h - 1);
  Out* to = out + out_plane(c).row_at(0);
  for (int first = 0; first < c.in_c; first += kBlock) {
    const int n = smaller(kBlock, c.in_c - first);
    int32_t sums[kBlock];
    for (int i = 0; i < n; ++i) sums[i] = from[first + i];
    rescale_run(c, sums, factor, n, to + first);
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
