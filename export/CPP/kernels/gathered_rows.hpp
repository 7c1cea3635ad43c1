// Answers: what does a row of a window hold that may leave the width of its input?
// Part of an exported project; may be used without condition.
//
// Config fields: those of conv.hpp; inputs have 8 bits. Where pixels are contiguous the row is copied by
// words. Only bytes of the input's row are read.
// Stack: none. Scratch: none.
#pragma once

#include "packed_pixels.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Bytes of a gathered window, and those that the last word of its last row writes beyond it.
enum { kGatheredBytes = kPackedPatch + 8 };

// Returns eight bytes of a row of n >= 8, from byte `at` on, with zeros for those outside the row.
N2D2_INLINE uint64_t eight_bytes(const void* row, int n, int at) {
  typedef uint64_t Word __attribute__((aligned(1), may_alias));
  const int from = at < 0 ? 0 : smaller(at, n - 8), by = at - from;
  if (by <= -8 || by >= 8) return 0;
  const uint64_t word = *reinterpret_cast<const Word*>(static_cast<const char*>(row) + from);
  return by < 0 ? word << (-8 * by) : word >> (8 * by);
}

// Returns whether the rows of a gathered window are copied eight bytes at a time.
template <class C>
N2D2_INLINE constexpr bool gathers_words(const C& c) {
  return N2D2_LITTLE_ENDIAN && c.in_pixel == c.in_c && c.dilation_x == 1 && c.in_w * c.in_c >= 8;
}

// Fills row `to` of a patch from column x0 on, with zeros outside. Overwrites up to seven elements behind it.
template <class C, class In>
N2D2_INLINE void gather_row(const C& c, const In* from, int x0, int row, In* to) {
  typedef uint64_t Word __attribute__((aligned(1), may_alias));
  if (gathers_words(c)) {
    for (int i = 0; i < row; i += 8)
      *reinterpret_cast<Word*>(to + i) = eight_bytes(from, c.in_w * c.in_c, x0 * c.in_c + i);
    return;
  }
  for (int i = 0; i < row; ++i) to[i] = 0;
  for (int kx = 0; kx < c.kernel_w; ++kx) {
    const int x = x0 + kx * c.dilation_x;
    if (x < 0 || x >= c.in_w) continue;
    N2D2_LOOP
    for (int i = 0; i < c.in_c; ++i) to[kx * c.in_c + i] = from[in_plane(c).pixel_at(x) + i];
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
