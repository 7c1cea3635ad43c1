// Answers: which input pixels does a window of a channel-by-channel layer (depthwise, pool) touch?
// Part of an exported project; may be used without condition.
//
// No config fields of its own. A window is walked in groups of T taps, so that T taps are added (or compared)
// per pass over a block of channels. A tap outside the input, or missing in the last group, reads a
// substitute block.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kChannelBlock = 64 };  // channels worked on together

// Calls use(x, tap, valid) for each group of T taps; x[t] is the input at tap (ky, kx) of output pixel (ox,
// oy) from the block's first channel on, tap[t] = ky * w + kx (the first tap of the group for a missing one).
// `valid` counts the taps inside the input.
template <int T, class Use, class In>
N2D2_INLINE void for_taps(const Plane& src, int w, int h, int dilation_x, int dilation_y, int y0, int x0,
                          const In* in, const In* substitute, const Use& use) {
  const In* x[T];
  int tap[T];
  int filled = 0;
  int valid = 0;
  for (int ky = 0; ky < h; ++ky)
    for (int kx = 0; kx < w; ++kx) {
      const int iy = y0 + ky * dilation_y;
      const int ix = x0 + kx * dilation_x;
      const bool inside = iy >= 0 && iy < src.h && ix >= 0 && ix < src.w;
      x[filled] = inside ? in + src.row_at(iy) + src.pixel_at(ix) : substitute;
      tap[filled] = ky * w + kx;
      valid += inside;
      if (++filled == T) {
        use(x, tap, valid);
        filled = 0, valid = 0;
      }
    }
  if (filled > 0) {
    for (int t = filled; t < T; ++t) x[t] = substitute, tap[t] = tap[0];
    use(x, tap, valid);
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
