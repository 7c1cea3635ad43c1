// Answers: what is a map of another width and height, by nearest pixels or by interpolation?
// Part of an exported project; may be used without condition.
//
// Row y of the output is between rows rows_of[2 y] and rows_of[2 y + 1] of the input, at fraction
// row_parts[y]; columns are alike. resize_nearest moves values of the first of the two. resize_linear:
// fractions are 1/1024, and y = rescale(sum of four products, factor[0]); in a float network y = clamp(sum).
// Config fields, besides those of plane.hpp (in_, out_, bottom_up; out_c = in_c) and, for resize_linear,
// rescale.hpp (lo, hi, shift, factor_step = 0):
//   start   resize_linear only: what sums start from, int; a config without it has 0
// Arrays: rows_of [out_h][2], columns_of [out_w][2] int32_t, row_parts [out_h], column_parts [out_w] int32_t
// or float. The output must not overlap the input.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kResizeOne = 1024 };  // the fraction 1

template <class Sum>
struct WholePart {
  static N2D2_INLINE Sum value() { return kResizeOne; }
};
template <>
struct WholePart<float> {
  static N2D2_INLINE float value() { return 1.0f; }
};

template <class C, class In, class Out>
N2D2_INLINE void resize_nearest(const C& c, Rows rows, const In* in, Out* out, const int32_t* rows_of,
                                const int32_t* columns_of) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r) {
    const int y = scan(c.bottom_up, r, rows);
    const In* row = in + src.row_at(rows_of[2 * y]);
    for (int x = 0; x < dst.w; ++x) {
      const In* from = row + src.pixel_at(columns_of[2 * x]);
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      for (int i = 0; i < dst.c; ++i) to[i] = static_cast<Out>(from[i]);
    }
  }
}

// The four input pixels around an output pixel: top left, top right, bottom left, bottom right.
template <class In, class Sum>
struct Corners {
  const In* x[4];
  Sum right, below;
};

// Computes channels [first, first + n) of one pixel.
template <class C, class In, class Sum, class Factor, class Out>
N2D2_INLINE void resize_block(const C& c, const Corners<In, Sum>& from, const Factor* factor, int first,
                              int n, Out* out) {
  const Sum one = WholePart<Sum>::value();
  Sum sums[RunOf<Sum>::kSize];
  for (int i = 0; i < n; ++i) {
    const Sum top = (one - from.right) * static_cast<Sum>(from.x[0][first + i]) +
                    from.right * static_cast<Sum>(from.x[1][first + i]);
    const Sum bottom = (one - from.right) * static_cast<Sum>(from.x[2][first + i]) +
                       from.right * static_cast<Sum>(from.x[3][first + i]);
    sums[i] = (one - from.below) * top + from.below * bottom;
  }
  add_start(c, sums, n);
  rescale_run(c, sums, factor, n, out + first);
}

template <class C, class In, class Out, class Part, class Factor>
N2D2_INLINE void resize_linear(const C& c, Rows rows, const In* in, Out* out, const Factor* factor,
                               const int32_t* rows_of, const Part* row_parts, const int32_t* columns_of,
                               const Part* column_parts) {
  typedef typename SumOf<In>::type Sum;
  enum { kRun = RunOf<Sum>::kSize };
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  for (int r = 0; r < rows.count; ++r) {
    const int y = scan(c.bottom_up, r, rows);
    const In* top = in + src.row_at(rows_of[2 * y]);
    const In* bottom = in + src.row_at(rows_of[2 * y + 1]);
    for (int x = 0; x < dst.w; ++x) {
      const ptrdiff_t left = src.pixel_at(columns_of[2 * x]);
      const ptrdiff_t right = src.pixel_at(columns_of[2 * x + 1]);
      const Corners<In, Sum> from = {{top + left, top + right, bottom + left, bottom + right},
                                     static_cast<Sum>(column_parts[x]),
                                     static_cast<Sum>(row_parts[y])};
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      for (int first = 0; first < dst.c; first += kRun)
        resize_block(c, from, factor, first, smaller(kRun, dst.c - first), to);
    }
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
