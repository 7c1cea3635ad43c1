// Answers: where are the windows of a convolution's outputs, and which biases and epilogue have they?
// Part of an exported project; may be used without condition.
//
// It has no config fields; conv.hpp and conv_packed.hpp share it. Stack: none of note. Scratch: none.
#pragma once

#include "dot.hpp"
#include "rescale.hpp"
#include "row_groups.hpp"
#include "taps.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Returns true if no window leaves the width, or the height.
template <class C>
N2D2_INLINE bool inside_width(const C& c) {
  return c.pad_x == 0 && (c.out_w - 1) * c.stride_x + (c.kernel_w - 1) * c.dilation_x < c.in_w;
}
template <class C>
N2D2_INLINE bool inside_height(const C& c) {
  return c.pad_y == 0 && (c.out_h - 1) * c.stride_y + (c.kernel_h - 1) * c.dilation_y < c.in_h;
}

// Returns the class of output i along an axis: `first` leading ones, one for all between, `last` trailing.
N2D2_INLINE int kind_of(int i, int size, int first, int last) {
  const int between = size - first - last;
  return i < first ? i : (i < first + between ? first : i - between + (between > 0));
}

// Returns the biases of pixel (x, y).
template <class C, class Sum>
N2D2_INLINE const Sum* biases_at(const C& c, const Sum* bias, int y, int x) {
  if (c.border_top + c.border_bottom + c.border_left + c.border_right == 0) return bias;
  const int columns = kind_of(c.out_w - 1, c.out_w, c.border_left, c.border_right) + 1;
  const int row = kind_of(y, c.out_h, c.border_top, c.border_bottom);
  const int column = kind_of(x, c.out_w, c.border_left, c.border_right);
  return bias + static_cast<ptrdiff_t>(row * columns + column) * c.out_c;
}

// Rescales and stores the outputs of a pixel. Partial of partial_sums.hpp is the other way.
template <class Out>
struct Stored {
  Out* out;

  // Returns the destination of pixel (x, y) and its successors; the first `again` of them are computed again.
  template <class C>
  N2D2_INLINE Stored at(const C& c, int y, int x, int) const {
    const Plane dst = out_plane(c);
    const Stored s = {out + dst.row_at(y) + dst.pixel_at(x)};
    return s;
  }
  // Returns the destination that begins `pixels` pixels later.
  template <class C>
  N2D2_INLINE Stored behind(const C& c, int pixels) const {
    const Stored s = {out + out_plane(c).pixel_at(pixels)};
    return s;
  }
  // Stores outputs [first, first + n) of pixel `pixel` from sums and biases. The sums are overwritten.
  template <class C, class Sum, class Factor>
  N2D2_INLINE void put(const C& c, Sum* sums, const Sum* bias, const Factor* factor, int pixel, int first,
                       int n) const {
    rescale_biased(c, sums, bias + first, factor + first * c.factor_step, n,
                   out + out_plane(c).pixel_at(pixel) + first);
  }
  // Stores outputs from sums that include their biases.
  template <class C, class Sum, class Factor>
  N2D2_INLINE void finish(const C& c, Sum* sums, const Factor* factor, int pixel, int first, int n) const {
    rescale_run(c, sums, factor + first * c.factor_step, n, out + out_plane(c).pixel_at(pixel) + first);
  }
  // Returns whether a run may continue from a row to the next, apart from what the output's layout allows.
  template <class C>
  static N2D2_INLINE constexpr bool rows_follow(const C&) {
    return true;
  }
  template <class C, class In>
  N2D2_INLINE RowGroups groups(const C& c, Rows rows, const In* in) const {
    return row_groups(c, rows, window_rows(c), in, out);
  }
};

// Returns the windows of pixels from ox on of row oy, and sets `filters` to their weights. `whole`: all of
// them are inside the width.
template <class C, class In, class Weight>
N2D2_INLINE Windows<In> place_windows(const C& c, bool whole, const In* in, int oy, int ox,
                                      Filters<Weight>& filters) {
  const Plane src = in_plane(c);
  const int group_c = c.in_c / c.groups;
  const int y0 = oy * c.stride_y - c.pad_y;
  const int x0 = ox * c.stride_x - c.pad_x;
  const Inside all_y = {0, c.kernel_h}, all_x = {0, c.kernel_w};
  const Inside ky = inside_height(c) ? all_y : inside(y0, c.kernel_h, c.dilation_y, src.h);
  const Inside kx = whole ? all_x : inside(x0, c.kernel_w, c.dilation_x, src.w);
  const bool any = ky.first < ky.end && kx.first < kx.end;
  const bool run = c.dilation_x == 1 && src.pixel == group_c;
  const int y = any ? y0 + ky.first * c.dilation_y : 0;
  const int x = any ? x0 + kx.first * c.dilation_x : 0;
  const int taps = kx.end - kx.first;
  filters.skipped = (ky.first * c.kernel_w + kx.first) * group_c;
  filters.row = c.kernel_w * group_c, filters.tap = group_c;
  Windows<In> w;
  w.start = in + src.row_at(y) + src.pixel_at(x);
  w.pixel = c.stride_x * src.pixel;
  w.rows = any ? ky.end - ky.first : 0;
  w.taps = run ? 1 : taps;
  w.run = run ? taps * group_c : group_c;
  w.row = c.dilation_y * src.row, w.tap = c.dilation_x * src.pixel;
  w.ring = src.ring, w.position = src.position(y), w.step = c.dilation_y, w.turn = src.turn;
  // Contiguous rows are one run.
  if (run && taps == c.kernel_w && src.row == c.kernel_w * group_c && src.ring == 0 && c.dilation_y == 1)
    w.run *= w.rows, w.rows = any;
  return w;
}

// Returns a run of k elements; the runs of several windows are `pixel` elements apart.
template <class In>
N2D2_INLINE Windows<In> one_run(const In* start, int k, ptrdiff_t pixel) {
  const Windows<In> w = {start, pixel, 1, 1, k, 0, 0, 0, 0, 0, 0};
  return w;
}

}  // namespace N2D2_EXPORT_NAMESPACE
