// Answers: where in memory is row y, pixel x of a tensor that is strided, turns round in a ring of rows, or is scanned
// bottom-up? Which rows does a call produce? Part of an exported project; may be used without condition.
//
// Config fields, prefix `in_` or `out_` (all int; "element" is one value of the tensor's element type):
//   in_w, in_h, in_c   pixels per row, rows, useful channels per pixel; >= 1
//   in_pixel           elements from pixel to pixel; >= in_c
//   in_row             elements from row to row; >= in_w * in_pixel
//   in_ring            rows after which the view turns back; 0: the tensor is straight
//   in_first           position of row 0 in the ring, 0..in_ring-1; 0 when straight
//   in_turn            elements subtracted each time the end of the ring is passed; 0 when straight
//   bottom_up          0: rows from the first to the last; 1: rows from the last to the first
//   ordered            1: the order contract below holds; 0: the output shares no byte with an input, the rows
//                      may come in any order and on several threads
//
// The pointer handed to a kernel is the address of row 0, pixel 0, channel 0. Two uses of a ring:
//
//   a buffer that wraps once, ring = h, first = h - k, turn = any distance:
//
//      in + k*in_row - in_turn                         in
//      v                                               v
//      | row k | row k+1 | ... | row h-1 |  other data | row 0 | row 1 | ... | row k-1 |
//
//   a buffer of R rows through which a map of any height streams, ring = R, turn = R*in_row:
//
//      | row R-f | row R-f+1 | ... | row 0 or R | ... | row R-f-1 |     row y at position (y + f) % R
//
// `Rows rows`, the second argument of every kernel: the rows of the output that the call produces; {0, out_h} is
// the whole map. Calls that follow each other in scan order, whatever the cut, give the bytes of one call. Only
// the input rows that the windows of `rows` touch are read, only the rows `rows` of the output are written.
//
// Order contract, all kernels where `ordered` is 1: the rows of the output are produced strictly in scan order
// and a row is finished before the next one begins; inside a row pixels and channels come in any order. Several threads may
// share rows that do not touch each other's inputs (row_groups.hpp).
// Element-wise kernels read an element before they write it, and the elements of a row come in ascending order.
// A signal of one dimension whose order matters is a map of rows of one pixel.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "isa.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

#ifndef N2D2_EXPORT_NAMESPACE
#define N2D2_EXPORT_NAMESPACE N2D2_Export
#endif

namespace N2D2_EXPORT_NAMESPACE {

// Rows [first, first + count) of an output.
struct Rows {
  int first, count;
};

struct Plane {
  int w, h, c;
  ptrdiff_t pixel, row;
  int ring, first;
  ptrdiff_t turn;

  // Elements from the tensor's start to row y >= 0.
  N2D2_INLINE ptrdiff_t row_at(int y) const {
    return y * row - (ring > 0 ? (y + first) / (ring > 0 ? ring : 1) * turn : 0);
  }
  // Position of row y in the ring.
  N2D2_INLINE int position(int y) const { return ring > 0 ? (y + first) % (ring > 0 ? ring : 1) : 0; }
  // Elements from the row's start to pixel x.
  N2D2_INLINE ptrdiff_t pixel_at(int x) const { return x * pixel; }
  // True if a row is one run of w * c useful elements.
  N2D2_INLINE bool dense_rows() const { return pixel == c; }
  // True if the tensor is one run of h * w * c useful elements.
  N2D2_INLINE bool dense() const { return pixel == c && (h == 1 || (row == w * pixel && ring == 0)); }
};

template <class C>
N2D2_INLINE Plane in_plane(const C& c) {
  const Plane p = {c.in_w, c.in_h, c.in_c, c.in_pixel, c.in_row, c.in_ring, c.in_first, c.in_turn};
  return p;
}

template <class C>
N2D2_INLINE Plane out_plane(const C& c) {
  const Plane p = {c.out_w, c.out_h, c.out_c, c.out_pixel, c.out_row, c.out_ring, c.out_first, c.out_turn};
  return p;
}

// The i-th of the rows in scan order.
N2D2_INLINE int scan(int bottom_up, int i, Rows rows) {
  return bottom_up ? rows.first + rows.count - 1 - i : rows.first + i;
}

// Weights above it are kept in the cache rather than streamed once a row, where the order is free.
enum { kPanelBytes = 24 * 1024 };

// The stack of a call of any kernel in the portable form, call tree included, with g++ -O2 or -O3 (bytes).
enum { kStackBytes = 512 };
// Values of one kind that a layer works on together, where it keeps them (bytes).
enum { kBlockBytes = N2D2_VECTOR == 32 ? 128 : 64 };

N2D2_INLINE int smaller(int a, int b) {
  return a < b ? a : b;
}

// Whether a layer that may run on several threads (`parallel`) has more than one. A parallel region costs a microsecond
// even where it has one.
#if defined(_OPENMP)
template <class C>
N2D2_INLINE bool has_threads(const C& c) {
  return c.parallel && omp_get_max_threads() > 1;
}
#endif

}  // namespace N2D2_EXPORT_NAMESPACE
