// Answers: how do channels become blocks of pixels, and blocks of pixels channels?
// Part of an exported project; may be used without condition.
//
// depth_to_space makes block_h x block_w pixels of each pixel of the input: pixel (x, y) of the whole output,
// of which `left` columns and `top` rows are cut off, has channels of input pixel (x / block_w, y / block_h).
// space_to_depth goes back. Channel c of row i and column j of a block is channel
// i * of_row + j * of_column + c * of_channel of the deep map.
// Config fields, besides those of plane.hpp (in_, out_, bottom_up, ordered):
//   block_w, block_h               pixels of a block; >= 1
//   of_row, of_column, of_channel  as above
//   left, top                      depth_to_space only: columns and rows that are cut off; >= 0
// The output must not overlap the input.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out>
N2D2_INLINE void depth_to_space(const C& c, Rows rows, const In* in, Out* out) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r) {
    const int y = scan(c.bottom_up, r, rows);
    const In* row = in + src.row_at((y + c.top) / c.block_h);
    for (int x = 0; x < dst.w; ++x) {
      const In* from = row + src.pixel_at((x + c.left) / c.block_w) + (y + c.top) % c.block_h * c.of_row +
                       (x + c.left) % c.block_w * c.of_column;
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      N2D2_OPAQUE(to);
      for (int k = 0; k < dst.c; ++k) to[k] = static_cast<Out>(from[k * c.of_channel]);
    }
  }
}

template <class C, class In, class Out>
N2D2_INLINE void space_to_depth(const C& c, Rows rows, const In* in, Out* out) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r) {
    const int y = scan(c.bottom_up, r, rows);
    for (int x = 0; x < dst.w; ++x) {
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      N2D2_OPAQUE(to);
      for (int i = 0; i < c.block_h; ++i)
        for (int j = 0; j < c.block_w; ++j) {
          const In* from = in + src.row_at(y * c.block_h + i) + src.pixel_at(x * c.block_w + j);
          for (int k = 0; k < src.c; ++k)
            to[i * c.of_row + j * c.of_column + k * c.of_channel] = static_cast<Out>(from[k]);
        }
    }
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
