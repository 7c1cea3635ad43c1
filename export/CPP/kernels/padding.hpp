// Answers: how does a map get a border of zeros, or lose its border?
// Part of an exported project; may be used without condition.
//
// Output pixel (x, y) is input pixel (x - left, y - top), or zero outside the input.
// Config fields: those of plane.hpp (in_, out_, bottom_up, ordered; out_c = in_c) and
//   left, top   columns and rows of zeros before the map; negative: they are removed. Right and bottom follow
//               from out_w and out_h.
// The output must not overlap the input rows that this or a later output row reads.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out>
N2D2_INLINE void pad_map(const C& c, Rows rows, const In* in, Out* out) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < dst.w; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      const int from_y = y - c.top;
      const int from_x = x - c.left;
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      if (from_y >= 0 && from_y < src.h && from_x >= 0 && from_x < src.w) {
        const In* from = in + src.row_at(from_y) + src.pixel_at(from_x);
        for (int k = 0; k < dst.c; ++k) to[k] = static_cast<Out>(from[k]);
      } else {
        for (int k = 0; k < dst.c; ++k) to[k] = 0;
      }
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
