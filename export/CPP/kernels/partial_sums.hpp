// Answers: how does a call that computes several layers add up the products of the last one, slice by slice?
// Part of an exported project; may be used without condition.
//
// The sums of a row of outputs, in 32 bits, are in scratch while slices of the map before come and go. No config fields of its own.
// Stack: none of note. Scratch: that of slices_scratch.hpp.
#pragma once

#include "conv.hpp"
#include "slices_scratch.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// A layer of a call that computes several.
template <class C, class Weight, class Sum, class Factor>
struct Layer {
  const C& c;
  const Weight* weights;
  const Sum* bias;
  const Factor* factor;
};
template <class C, class Weight, class Sum, class Factor>
N2D2_INLINE Layer<C, Weight, Sum, Factor> layer(const C& c, const Weight* weights, const Sum* bias,
                                                const Factor* factor) {
  const Layer<C, Weight, Sum, Factor> l = {c, weights, bias, factor};
  return l;
}

// Outputs of a convolution of which a slice of the inputs is there are added to what the slices before gave. As Stored of
// conv_parts.hpp, but no pixel is added a second time.
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

// The row of the output of its sums.
template <class C, class Out, class Factor>
N2D2_APART void finish_row(const C& c, int32_t* sums, Out* out, const int32_t* bias, const Factor* factor,
                           int oy) {
  enum { kBlock = Dot<uint8_t, int8_t, int32_t>::kBlock };
  const Plane dst = out_plane(c);
  for (int x = 0; x < c.out_w; ++x, sums += c.out_c) {
    Out* to = out + dst.row_at(oy) + dst.pixel_at(x);
    for (int first = 0; first < c.out_c; first += kBlock)
      rescale_biased(c, sums + first, bias + first, factor + first * c.factor_step,
                     smaller(kBlock, c.out_c - first), to + first);
  }
}

N2D2_APART void clear(int32_t* sums, int n) {
  for (int i = 0; i < n; ++i) sums[i] = 0;
}

// The first place in scratch for sums.
N2D2_INLINE int32_t* sums_in(uint8_t* scratch) {
  return reinterpret_cast<int32_t*>(scratch + (-reinterpret_cast<uintptr_t>(scratch) & (kSumsAlignment - 1)));
}

}  // namespace N2D2_EXPORT_NAMESPACE
