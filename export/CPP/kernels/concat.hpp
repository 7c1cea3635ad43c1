// Answers: how is one input of a concatenation copied to its range of the output's channels?
// Part of an exported project; may be used without condition.
//
// Output channel out_offset + i of a pixel is channel i of the input. Values are moved unchanged.
// Config fields: those of plane.hpp (in_, out_, bottom_up; out_w, out_h equal in_w, in_h; out_c counts all
// channels of the concatenation) and
//   out_offset   first output channel of this input, 0..out_c - in_c
// Each input has a call of its own. An element is read before it is written.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out>
N2D2_INLINE void concat_part(const C& c, Rows rows, const In* in, Out* out) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < src.w; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      const In* from = in + src.row_at(y) + src.pixel_at(x);
      Out* to = out + dst.row_at(y) + dst.pixel_at(x) + c.out_offset;
      for (int k = 0; k < src.c; ++k) to[k] = static_cast<Out>(from[k]);
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
