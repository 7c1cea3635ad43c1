// Answers: how does a map get a border of one value, or lose its border?
// Part of an exported project; may be used without condition.
//
// Output pixel (x, y) is input pixel (x - left, y - top), or `fill` outside the input.
// Config fields: those of plane.hpp (in_, out_, bottom_up, ordered; out_c = in_c) and
//   left, top   columns and rows before the map; negative: they are removed. Right and bottom follow from
//               out_w and out_h.
//   fill        the value around the map, int, in a float network float; a config without it has 0
// The output must not overlap the input rows that this or a later output row reads.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

N2D2_OPTIONAL_FIELD(int, integer_fill_of, fill)
N2D2_OPTIONAL_FIELD(float, float_fill_of, fill)

template <class Out>
struct FillOf {
  template <class C>
  static N2D2_INLINE Out value(const C& c) {
    return static_cast<Out>(integer_fill_of(c));
  }
};
template <>
struct FillOf<float> {
  template <class C>
  static N2D2_INLINE float value(const C& c) {
    return float_fill_of(c);
  }
};

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
      N2D2_OPAQUE(to);
      if (from_y >= 0 && from_y < src.h && from_x >= 0 && from_x < src.w) {
        const In* from = in + src.row_at(from_y) + src.pixel_at(from_x);
        for (int k = 0; k < dst.c; ++k) to[k] = static_cast<Out>(from[k]);
      } else {
        for (int k = 0; k < dst.c; ++k) to[k] = FillOf<Out>::value(c);
      }
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
