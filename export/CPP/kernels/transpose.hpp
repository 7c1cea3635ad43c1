// Answers: what is a map whose channels, rows and columns change places?
// Part of an exported project; may be used without condition.
//
// Config fields, besides those of plane.hpp (in_, out_, bottom_up, ordered):
//   channel_is, row_is, column_is   which place in the output is the channel, the row and the column of the
//                                   input: 0 the channel, 1 the row, 2 the column; each once
// The output must not overlap the input.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out>
N2D2_INLINE void transpose_map(const C& c, Rows rows, const In* in, Out* out) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r) {
    const int y = scan(c.bottom_up, r, rows);
    for (int x = 0; x < dst.w; ++x) {
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      N2D2_OPAQUE(to);
      for (int k = 0; k < dst.c; ++k) {
        const int place[3] = {k, y, x};
        const In* from =
            in + src.row_at(place[c.row_is]) + src.pixel_at(place[c.column_is]) + place[c.channel_is];
        to[k] = static_cast<Out>(*from);
      }
    }
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
