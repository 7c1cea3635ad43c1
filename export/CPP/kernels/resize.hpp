// Answers: what does a nearest-neighbour enlargement compute?
// Part of an exported project; may be used without condition.
//
// y[oy][ox] = x[oy * in_h / out_h][ox * in_w / out_w], divisions rounded down; values move unchanged.
// Config fields: those of plane.hpp (in_, out_, bottom_up; out_c = in_c).
// Input and output must not overlap.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out>
N2D2_INLINE void resize_nearest(const C& c, const In* in, Out* out) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < dst.h; ++r)
    for (int i = 0; i < dst.w; ++i) {
      const int y = scan(c.bottom_up, r, dst.h);
      const int x = scan(c.bottom_up && dst.h == 1, i, dst.w);
      const In* from = in + src.row_at(y * src.h / dst.h) + src.pixel_at(x * src.w / dst.w);
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      for (int k = 0; k < src.c; ++k) to[k] = static_cast<Out>(from[k]);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
