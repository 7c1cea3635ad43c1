// Answers: what do a convolution, a depthwise one behind it and one of 1 x 1 compute, if the maps between them are never there as
// a whole?
// Part of an exported project; may be used without condition.
//
// The bytes of conv2d, conv2d_depthwise and conv2d one after the other, of 8 bits. A row of the output is made slice by slice: for a
// few channels of the maps between, the rows of the window of the depthwise convolution are made anew, then its row, and
// the products of that are added to the sums of the row of the output, in 32 bits. So the first convolution is computed again for
// each row of the output that reads a row of it.
// Config fields of the call, besides those of plane.hpp (in_, out_, bottom_up, ordered):
//   slices   of the channels between; >= 1, divides them
// Layer<C> of each convolution, in this order, with configs of their own:
//     expand: conv.hpp; out_c: channels of a slice; out_ring rows are what a window of `depthwise` reaches over, in scratch
//     depthwise: conv_depthwise.hpp; in_: out_ of `expand`; out_ring = 1: one row, in scratch
//     project: conv.hpp; in_: out_ of `depthwise`, out_: the output of the call
// Arrays: those of the three; weights, biases and factors of `expand` and `depthwise` slice after slice, each as if it were a layer;
// weights of `project` [slices][out_c][channels of a slice]. None is read packed.
// Output must not overlap the input rows that this or a later output row reads.
// Stack: at most kStackBytes (plane.hpp) in the portable form.
// Scratch: bottleneck_scratch() bytes, at any address.
#pragma once

#include "bottleneck_scratch.hpp"
#include "conv.hpp"
#include "conv_depthwise.hpp"

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
N2D2_INLINE void finish_row(const C& c, int32_t* sums, Out* out, const int32_t* bias, const Factor* factor,
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

template <class C, class In, class Out, class Expand, class Depthwise, class Project>
N2D2_INLINE void bottleneck_row(const C& c, const In* in, Out* out, uint8_t* scratch, const Expand& expand,
                                const Depthwise& depthwise, const Project& project, int oy) {
  const int slice = expand.c.out_c, taps = depthwise.c.kernel_w * depthwise.c.kernel_h;
  const int window_of_expand = expand.c.kernel_w * expand.c.kernel_h * expand.c.in_c;
  const int sums_of_row = c.out_w * c.out_c;
  int32_t* const sums = reinterpret_cast<int32_t*>(
      scratch + (-reinterpret_cast<uintptr_t>(scratch) & (kBottleneckAlignment - 1)));
  uint8_t* const rows = reinterpret_cast<uint8_t*>(sums + sums_of_row);
  uint8_t* const row = rows + static_cast<ptrdiff_t>(expand.c.out_ring) * expand.c.out_row;
  const int y0 = oy * depthwise.c.stride_y - depthwise.c.pad_y;
  const int first = y0 < 0 ? 0 : y0;
  const int end = smaller(y0 + (depthwise.c.kernel_h - 1) * depthwise.c.dilation_y + 1, depthwise.c.in_h);
  const Rows window = {first, end - first};
  const Rows one = {oy, 1};
  const Stored<uint8_t> to_window = {rows};
  const Partial to_sums = {sums, 0};
  for (int i = 0; i < sums_of_row; ++i) sums[i] = 0;
  for (int s = 0; s < c.slices; ++s) {
    const int channel = s * slice;
    if (window.count > 0)
      conv_rows_unpacked(expand.c, window, in, to_window,
                         expand.weights + static_cast<ptrdiff_t>(channel) * window_of_expand,
                         expand.bias + channel, expand.factor + channel * expand.c.factor_step);
    conv2d_depthwise(depthwise.c, one, rows, row, depthwise.weights + static_cast<ptrdiff_t>(channel) * taps,
                     depthwise.bias + channel, depthwise.factor + channel * depthwise.c.factor_step);
    conv_rows_unpacked(project.c, one, row, to_sums,
                       project.weights + static_cast<ptrdiff_t>(channel) * c.out_c, project.bias,
                       project.factor);
  }
  finish_row(project.c, sums, out, project.bias, project.factor, oy);
}

template <class C, class In, class Out, class Expand, class Depthwise, class Project>
N2D2_INLINE void conv2d_bottleneck(const C& c, Rows rows, const In* in, Out* out, uint8_t* scratch,
                                   const Expand& expand, const Depthwise& depthwise, const Project& project) {
  for (int r = 0; r < rows.count; ++r)
    bottleneck_row(c, in, out, scratch, expand, depthwise, project, scan(c.bottom_up, r, rows));
}

}  // namespace N2D2_EXPORT_NAMESPACE
