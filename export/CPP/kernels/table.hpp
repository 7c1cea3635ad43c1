// Answers: what does a layer compute that looks up each of its values in a table?
// Part of an exported project; may be used without condition.
//
// y = table[bits of x, read as an unsigned number]. Config fields, besides those of plane.hpp (in_, out_,
// bottom_up; out_w, out_h, out_c equal in_w, in_h, in_c):
//   entries       length of a row of the table: 2^bits of the integers x, at most 2^(8 * sizeof x)
//   table_step    entries: a row for each channel; 0: one for all
// table [out_c][entries] or [entries] holds outputs.
// The output may start exactly on the input if the elements have the same size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Returns the bits of an integer.
N2D2_INLINE unsigned bits_of(int8_t x) {
  return static_cast<uint8_t>(x);
}
N2D2_INLINE unsigned bits_of(uint8_t x) {
  return x;
}
N2D2_INLINE unsigned bits_of(int16_t x) {
  return static_cast<uint16_t>(x);
}
N2D2_INLINE unsigned bits_of(uint16_t x) {
  return x;
}

template <class C, class In, class Out>
struct LookUp {
  const C& c;
  const In* in;
  Out* out;
  const Out* table;

  N2D2_INLINE void operator()(int y, int x, int first, int n) const {
    const Plane src = in_plane(c);
    const Plane dst = out_plane(c);
    const In* from = in + src.row_at(y) + src.pixel_at(x) + first;
    Out* to = out + dst.row_at(y) + dst.pixel_at(x) + first;
    const ptrdiff_t step = c.table_step;
    const Out* row = table + first * step;
    const unsigned mask = static_cast<unsigned>(c.entries) - 1;
    Out values[RunOf<Out>::kSize];
    for (int i = 0; i < n; ++i) values[i] = row[i * step + static_cast<ptrdiff_t>(bits_of(from[i]) & mask)];
    for (int i = 0; i < n; ++i) to[i] = values[i];
  }
};

template <class C, class In, class Out>
N2D2_INLINE void look_up(const C& c, Rows rows, const In* in, Out* out, const Out* table) {
  const LookUp<C, In, Out> use = {c, in, out, table};
  const bool dense = in_plane(c).dense_rows() && out_plane(c).dense_rows();
  for_runs<RunOf<Out>::kSize>(out_plane(c), rows, c.bottom_up, dense && c.table_step == 0, use);
}

}  // namespace N2D2_EXPORT_NAMESPACE
