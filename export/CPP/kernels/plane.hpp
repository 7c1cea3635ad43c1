// Answers: where in memory is row y, pixel x of a tensor that is strided, wraps round, or is scanned
// bottom-up? Part of an exported project; may be used without condition.
//
// Config fields, prefix `in_` or `out_` (all int; "element" is one value of the tensor's element type):
//   in_w, in_h, in_c   pixels per row, rows, useful channels per pixel; >= 1
//   in_pixel           elements from pixel to pixel; >= in_c
//   in_row             elements from row to row; >= in_w * in_pixel
//   in_split           first row whose address is shifted (first pixel when in_h == 1), 1..in_h (1..in_w);
//                      in_h (in_w) when the tensor is straight
//   in_jump            elements added from row (pixel) in_split on; usually negative; 0 when straight
//   bottom_up          0: rows from 0 to out_h - 1; 1: rows from out_h - 1 to 0.
//                      A tensor of one row is scanned by pixels: 0 left to right, 1 right to left.
//   ordered            1: the order contract below holds; 0: the output shares no byte with an input, the rows
//                      may come in any order and on several threads
//
// The pointer handed to a kernel is the address of row 0, pixel 0, channel 0. Memory of a wrapped tensor:
//
//      in + in_split*in_row + in_jump                  in
//      v                                               v
//      | row split | row split+1 | ... |   other data  | row 0 | row 1 | ... | row split-1 |
//
// Order contract, all kernels where `ordered` is 1: the rows of the output are produced strictly in scan order
// and a row is finished before the next one begins; inside a row pixels and channels come in any order. With a
// single output row the pixels are strictly in order. Element-wise kernels read an element before they write
// it, and the elements of a pixel, and the pixels of one of several rows, come in ascending order.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifndef N2D2_EXPORT_NAMESPACE
#define N2D2_EXPORT_NAMESPACE N2D2_Export
#endif

#ifndef N2D2_INLINE
#if defined(__GNUC__)
#define N2D2_INLINE inline __attribute__((always_inline))
#else
#define N2D2_INLINE inline
#endif
#endif

// Inner loops that know no config: part of each layer, or one copy for all layers where N2D2_ONE_COPY is defined.
#if defined(N2D2_ONE_COPY) && defined(__GNUC__)
#define N2D2_SHARED __attribute__((noinline))
#else
#define N2D2_SHARED N2D2_INLINE
#endif

namespace N2D2_EXPORT_NAMESPACE {

struct Plane {
  int w, h, c;
  ptrdiff_t pixel, row;
  int split;
  ptrdiff_t jump;

  // Elements from the tensor's start to row y. In a tensor of one row the shift belongs to the pixels.
  N2D2_INLINE ptrdiff_t row_at(int y) const { return y * row + (h > 1 && y >= split ? jump : 0); }
  // Elements from the row's start to pixel x.
  N2D2_INLINE ptrdiff_t pixel_at(int x) const { return x * pixel + (h == 1 && x >= split ? jump : 0); }
  // True if the pixels of a row follow each other at one distance.
  N2D2_INLINE bool even_rows() const { return h > 1 || split >= w; }
  // True if a row is one run of w * c useful elements.
  N2D2_INLINE bool dense_rows() const { return pixel == c && even_rows(); }
  // True if the tensor is one run of h * w * c useful elements.
  N2D2_INLINE bool dense() const { return dense_rows() && (h == 1 || (row == w * pixel && split >= h)); }
};

template <class C>
N2D2_INLINE Plane in_plane(const C& c) {
  const Plane p = {c.in_w, c.in_h, c.in_c, c.in_pixel, c.in_row, c.in_split, c.in_jump};
  return p;
}

template <class C>
N2D2_INLINE Plane out_plane(const C& c) {
  const Plane p = {c.out_w, c.out_h, c.out_c, c.out_pixel, c.out_row, c.out_split, c.out_jump};
  return p;
}

// The i-th of n rows (or pixels) in scan order.
N2D2_INLINE int scan(int bottom_up, int i, int n) {
  return bottom_up ? n - 1 - i : i;
}

// Weights above it are kept in the cache rather than streamed once a row, where the order is free.
enum { kPanelBytes = 24 * 1024 };

N2D2_INLINE int smaller(int a, int b) {
  return a < b ? a : b;
}

}  // namespace N2D2_EXPORT_NAMESPACE
