// Answers: where in memory is row y, pixel x of a tensor that is strided, wraps in a ring of rows, or runs
// bottom-up? Which rows does a call produce? Part of an exported project; may be used without condition.
//
// Config fields with prefix `in_` or `out_` (all int; an "element" is a value of the tensor's element type):
//   in_w, in_h, in_c   pixels per row, rows, useful channels per pixel; >= 1
//   in_pixel           elements from pixel to pixel; >= in_c
//   in_row             elements from row to row; >= in_w * in_pixel
//   in_ring            rows after which the view wraps; 0: the tensor is straight
//   in_first           position of row 0 in the ring, 0..in_ring-1; 0 when straight
//   in_turn            wrap distance: elements subtracted at each end of the ring; 0 when straight
//   bottom_up          0: rows from the first to the last; 1: rows from the last to the first
//   ordered            1: the order contract below holds; 0: the output shares no byte with an input, so rows
//                      come in any order and on several threads
//
// The pointer that a kernel gets is the address of row 0, pixel 0, channel 0. A ring has two uses:
//
//   a buffer that wraps once, ring = h, first = h - k, turn = any distance:
//
//      in + k*in_row - in_turn                         in
//      v                                               v
//      | row k | row k+1 | ... | row h-1 |  other data | row 0 | row 1 | ... | row k-1 |
//
//   a rolling buffer of R rows for a map of any height, ring = R, turn = R*in_row:
//
//      | row R-f | row R-f+1 | ... | row 0 or R | ... | row R-f-1 |     row y at position (y + f) % R
//
// `Rows rows`, the second argument of every kernel, are the output rows that the call produces; {0, out_h} is
// the whole map. Calls that follow each other in scan order give the bytes of one call, wherever they are
// cut. A call reads only input rows that the windows of `rows` touch, and writes only output rows `rows`.
//
// Order contract of all kernels where `ordered` is 1: a call produces output rows strictly in scan order and
// finishes a row before it begins the next one; inside a row pixels and channels come in any order. Several
// threads may share rows that do not touch each other's inputs (row_groups.hpp). Element-wise kernels read an
// element before they write it, and write the elements of a row in ascending order. A signal of one dimension
// whose order matters is a map with one pixel in each row.
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

// Defines function(c), which returns c.field as `type`, and 0 where a config has no such field.
#define N2D2_OPTIONAL_FIELD(type, function, field)                                   \
  template <class C>                                                                 \
  N2D2_INLINE auto function(const C& c, int)->decltype(static_cast<type>(c.field)) { \
    return static_cast<type>(c.field);                                               \
  }                                                                                  \
  template <class C>                                                                 \
  N2D2_INLINE type function(const C&, long) {                                        \
    return 0;                                                                        \
  }                                                                                  \
  template <class C>                                                                 \
  N2D2_INLINE type function(const C& c) {                                            \
    return function(c, 0);                                                           \
  }

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

  // Returns the elements from the tensor's start to row y >= 0.
  N2D2_INLINE ptrdiff_t row_at(int y) const {
    return y * row - (ring > 0 ? (y + first) / (ring > 0 ? ring : 1) * turn : 0);
  }
  // Returns the position of row y in the ring.
  N2D2_INLINE int position(int y) const { return ring > 0 ? (y + first) % (ring > 0 ? ring : 1) : 0; }
  // Returns the elements from the row's start to pixel x.
  N2D2_INLINE ptrdiff_t pixel_at(int x) const { return x * pixel; }
  // Returns true if a row is one run of w * c useful elements.
  N2D2_INLINE bool dense_rows() const { return pixel == c; }
  // Returns true if the tensor is one run of h * w * c useful elements.
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

// Returns row i of `rows` in scan order.
N2D2_INLINE int scan(int bottom_up, int i, Rows rows) {
  return bottom_up ? rows.first + rows.count - 1 - i : rows.first + i;
}

// Larger weights are kept in the cache rather than streamed once a row, where the order is free.
enum { kPanelBytes = 24 * 1024 };

// Largest stack of a call of any kernel in the portable form, with its call tree, g++ -O2 or -O3 (bytes).
enum { kStackBytes = 512 };
// Size of the values of one kind that a layer holds at a time, where it stores them (bytes).
enum { kBlockBytes = N2D2_VECTOR == 32 ? 128 : 64 };

N2D2_INLINE int smaller(int a, int b) {
  return a < b ? a : b;
}

// Returns whether a layer that may run on several threads (`parallel`) has more than one. A parallel region
// costs a microsecond even with one thread.
#if defined(_OPENMP)
template <class C>
N2D2_INLINE bool has_threads(const C& c) {
  return c.parallel && omp_get_max_threads() > 1;
}
#endif

}  // namespace N2D2_EXPORT_NAMESPACE
