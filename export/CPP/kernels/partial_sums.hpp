// Answers: how are the products of a slice of the inputs of a layer added to sums?
// Part of an exported project; may be used without condition.
//
// What conv2d of conv.hpp and fc of fc.hpp compute before they requantize, of 8-bit inputs, on one thread:
// the inputs are a slice of those of the layer, and the products are added to 32-bit sums of all outputs. The
// loops over rows and slices are those of a loop nest in forward.cpp; requantize.hpp makes the outputs of the
// sums.
// Config fields: those of conv.hpp and fc.hpp, of which those of rescale.hpp, packed, matrix and parallel are
// not read.
// Arrays: sums [out_w][out_c] of one row, weights as in conv.hpp and fc.hpp, in_c the channels of the slice.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "fc.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The end of a convolution that adds to sums. As Stored of conv_parts.hpp, but no pixel is added a second
// time.
struct Partial {
  int32_t* sums;  // [out_w][out_c]
  int again;

  template <class C>
  N2D2_INLINE Partial at(const C& c, int, int x, int added) const {
    const Partial p = {sums + static_cast<ptrdiff_t>(x) * c.out_c, added};
    return p;
  }
  template <class C>
  N2D2_INLINE Partial behind(const C& c, int pixels) const {
    const Partial p = {sums + static_cast<ptrdiff_t>(pixels) * c.out_c, again - pixels};
    return p;
  }
  template <class C, class Factor>
  N2D2_INLINE void put(const C& c, const int32_t* added, const int32_t*, const Factor*, int pixel, int first,
                       int n) const {
    if (pixel < again) return;
    int32_t* to = sums + static_cast<ptrdiff_t>(pixel) * c.out_c + first;
    for (int i = 0; i < n; ++i) to[i] += added[i];
  }
};

N2D2_INLINE void clear_sums(int32_t* sums, int n) {
  for (int i = 0; i < n; ++i) sums[i] = 0;
}

// The rows of an input of `height` rows that rows of an output are made of, where a window of `extent` rows
// begins `pad` rows before each multiple of `stride`. Rows beyond the map are none of them.
N2D2_INLINE Rows rows_read(Rows rows, int stride, int pad, int extent, int height) {
  const int begin = rows.first * stride - pad, end = begin + (rows.count - 1) * stride + extent;
  const int first = begin < 0 ? 0 : begin;
  const Rows read = {first, smaller(end, height) - first};
  return read;
}

// No bias and no factor is read: the sums stand in for them.
template <class C, class In, class Weight>
N2D2_INLINE void conv2d_sums(const C& c, Rows rows, const In* in, int32_t* sums, const Weight* weights) {
  const Partial to = {sums, 0};
  const int32_t* const unread = sums;
  conv_rows_serial(c, rows, in, to, weights, unread, unread);
}

template <class C, class In, class Weight>
N2D2_INLINE void fc_sums(const C& c, Rows, const In* in, int32_t* sums, const Weight* weights) {
  const Partial to = {sums, 0};
  const int32_t* const unread = sums;
  fc_blocks(c, in, to, weights, unread, unread);
}

}  // namespace N2D2_EXPORT_NAMESPACE
