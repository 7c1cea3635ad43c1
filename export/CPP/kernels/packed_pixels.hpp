// Answers: which pixels of a convolution with packed weights are computed together?
// Part of an exported project; may be used without condition.
//
// Config fields: those of conv.hpp. Functions depend on a config alone: constant where its fields are.
// Stack: none. Scratch: none.
#pragma once

#include "packed.hpp"

namespace N2D2_EXPORT_NAMESPACE {

N2D2_INLINE constexpr int larger(int a, int b) {
  return a > b ? a : b;
}
N2D2_INLINE constexpr int at_most(int a, int b) {
  return a < b ? a : b;
}
N2D2_INLINE constexpr int divided_up(int a, int b) {
  return (a + b - 1) / b;
}

template <class C>
N2D2_INLINE constexpr bool whole_groups(const C& c) {
  return c.in_c % kPackedInputs == 0;
}
// Returns whether runs are read in place.
template <class C>
N2D2_INLINE constexpr bool read_in_place(const C& c) {
  return whole_groups(c) || (c.in_pixel == c.in_c && c.dilation_x == 1);
}
// Returns the number of elements of a row of a gathered window.
template <class C>
N2D2_INLINE constexpr int packed_row(const C& c) {
  return packed_groups(c.kernel_w * c.in_c) * kPackedInputs;
}
// Returns how many leading pixels of a row some tap misses.
template <class C>
N2D2_INLINE constexpr int lost_left(const C& c) {
  return at_most(divided_up(c.pad_x, c.stride_x), c.out_w);
}
// Returns whether the last groups of windows may be read beyond a row that another one follows. Zeros
// multiply them, but the sum of inputs that some forms need must not change while another output is stored.
template <class Form, class C>
N2D2_INLINE constexpr bool may_read_beyond(const C& c) {
  return !whole_groups(c) && read_in_place(c) && !Form::kCorrected && c.in_ring == 0 &&
         c.in_row >= kPackedInputs;
}
template <class Form, class C>
N2D2_INLINE constexpr bool reads_beyond(const C& c, int oy) {
  return may_read_beyond<Form>(c) && oy * c.stride_y - c.pad_y + (c.kernel_h - 1) * c.dilation_y < c.in_h - 1;
}
// Returns how many columns a window reads, from its first one on. `beyond`: it may read beyond its row.
template <class C>
N2D2_INLINE constexpr int columns_read(const C& c, bool beyond) {
  return whole_groups(c) || beyond ? (c.kernel_w - 1) * c.dilation_x + 1 : divided_up(packed_row(c), c.in_c);
}
// Returns the first pixel whose window is not read wholly inside the row.
template <class C>
N2D2_INLINE constexpr int whole_until(const C& c, bool beyond) {
  return c.in_w + c.pad_x < columns_read(c, beyond)
             ? 0
             : at_most((c.in_w + c.pad_x - columns_read(c, beyond)) / c.stride_x + 1, c.out_w);
}
// Returns whether at most one pixel at each end of a row is clipped; tiles clip it themselves.
template <class C>
N2D2_INLINE constexpr bool tiles_clip(const C& c) {
  return whole_groups(c) && c.out_w > 1 && lost_left(c) <= 1 && c.out_w - whole_until(c, false) <= 1;
}
// Tiles compute pixels [tiled_from, tiled_until) of a row.
template <class C>
N2D2_INLINE constexpr int tiled_from(const C& c) {
  return tiles_clip(c) || !read_in_place(c) ? 0 : lost_left(c);
}
template <class C>
N2D2_INLINE constexpr int tiled_until(const C& c, bool beyond) {
  return tiles_clip(c) ? c.out_w : (!read_in_place(c) ? 0 : larger(whole_until(c, beyond), tiled_from(c)));
}
// Returns whether an output pixel depends on the input pixel in its place alone.
template <class C>
N2D2_INLINE constexpr bool packed_point(const C& c) {
  return c.kernel_w == 1 && c.kernel_h == 1 && c.stride_x == 1 && c.stride_y == 1 && c.pad_x == 0 &&
         c.pad_y == 0 && c.in_w == c.out_w && c.in_h == c.out_h && whole_groups(c) &&
         c.border_top + c.border_bottom + c.border_left + c.border_right == 0;
}
// Returns whether the pixels of all rows are contiguous.
template <class To, class C>
N2D2_INLINE constexpr bool packed_flat(const C& c) {
  return packed_point(c) && To::rows_follow(c) && !c.ordered && c.in_ring == 0 && c.out_ring == 0 &&
         (c.out_h == 1 || (c.in_row == c.in_w * c.in_pixel && c.out_row == c.out_w * c.out_pixel));
}
template <class Form, class To, class C>
N2D2_INLINE constexpr int pixels_of_tile(const C& c) {
  return PackedShape<Form>::pixels(
      packed_flat<To>(c) ? c.out_w * c.out_h : tiled_until(c, may_read_beyond<Form>(c)) - tiled_from(c));
}

// Whether all fields of a config are constants. Such a config has no members.
template <class C>
struct IsConstant {
  struct Behind : C {
    char last;
  };
  enum { kYes = sizeof(Behind) == sizeof(char) };
};

}  // namespace N2D2_EXPORT_NAMESPACE
