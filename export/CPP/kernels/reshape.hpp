// Answers: how does a map get other extents where its bytes move?
// Part of an exported project; may be used without condition.
//
// reshape_copy: element i of the output in the order (y, x, channel) is element i of the input in the same
// order. reshape_map: the order is (channel, y, x).
// Config fields: those of plane.hpp (in_, out_, bottom_up, ordered; in_w * in_h * in_c = out_w * out_h *
// out_c).
// Input and output must not overlap.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out>
N2D2_INLINE void reshape_copy(const C& c, Rows rows, const In* in, Out* out) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < dst.w; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      const int start = (y * dst.w + x) * dst.c;
      for (int k = 0; k < dst.c;) {
        const int pixel = (start + k) / src.c;
        const int channel = (start + k) % src.c;
        const int n = smaller(dst.c - k, src.c - channel);
        const In* from = in + src.row_at(pixel / src.w) + src.pixel_at(pixel % src.w) + channel;
        for (int j = 0; j < n; ++j) to[k + j] = static_cast<Out>(from[j]);
        k += n;
      }
    }
}

template <class C, class In, class Out>
N2D2_INLINE void reshape_map(const C& c, Rows rows, const In* in, Out* out) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r) {
    const int y = scan(c.bottom_up, r, rows);
    for (int x = 0; x < dst.w; ++x) {
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      N2D2_OPAQUE(to);
      for (int k = 0; k < dst.c; ++k) {
        const int i = (k * dst.h + y) * dst.w + x;
        const int channel = i / (src.h * src.w), row = i / src.w % src.h, column = i % src.w;
        to[k] = static_cast<Out>(in[src.row_at(row) + src.pixel_at(column) + channel]);
      }
    }
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
