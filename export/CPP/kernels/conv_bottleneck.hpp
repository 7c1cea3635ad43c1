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

#include "conv_depthwise.hpp"
#include "partial_sums.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Where what belongs to a row of the output lies in scratch.
struct BottleneckRow {
  int32_t* sums;  // [out_w][out_c] of the output
  uint8_t* rows;  // of the first map between
  uint8_t* row;   // of the second
};
template <class C, class Expand>
N2D2_INLINE BottleneckRow row_in(const C& c, const Expand& expand, uint8_t* scratch) {
  BottleneckRow m;
  m.sums = sums_in(scratch);
  m.rows = reinterpret_cast<uint8_t*>(m.sums + c.out_w * c.out_c);
  m.row = m.rows + static_cast<ptrdiff_t>(expand.out_ring) * expand.out_row;
  return m;
}

// The stages of a slice, with the arrays of its channels; each has a frame of its own.
template <class C, class In, class Weight, class Sum, class Factor>
N2D2_APART void expand_slice(const C& c, Rows window, const In* in, uint8_t* rows, const Weight* weights,
                             const Sum* bias, const Factor* factor) {
  const Stored<uint8_t> to = {rows};
  conv_rows_serial(c, window, in, to, weights, bias, factor);
}
template <class C, class Weight, class Sum, class Factor>
N2D2_APART void filter_slice(const C& c, int oy, const uint8_t* rows, uint8_t* row, const Weight* weights,
                             const Sum* bias, const Factor* factor) {
  depthwise_line(c, rows, row, weights, bias, factor, oy);
}
template <class C, class Weight, class Sum, class Factor>
N2D2_APART void project_slice(const C& c, int oy, const uint8_t* row, int32_t* sums, const Weight* weights,
                              const Sum* bias, const Factor* factor) {
  const Rows one = {oy, 1};
  const Partial to = {sums, 0};
  conv_rows_serial(c, one, row, to, weights, bias, factor);
}
// Rows of the first map between that row oy of the second reads.
template <class C>
N2D2_INLINE Rows window_of_row(const C& depthwise, int oy) {
  const int y0 = oy * depthwise.stride_y - depthwise.pad_y;
  const int reach = (depthwise.kernel_h - 1) * depthwise.dilation_y + 1;
  const int first = y0 < 0 ? 0 : y0;
  const Rows window = {first, smaller(y0 + reach, depthwise.in_h) - first};
  return window;
}

template <class C, class In, class Out, class Expand, class Depthwise, class Project>
N2D2_INLINE void bottleneck_row(const C& c, const In* in, Out* out, uint8_t* scratch, const Expand& expand,
                                const Depthwise& depthwise, const Project& project, int oy) {
  const BottleneckRow m = row_in(c, expand.c, scratch);
  const ptrdiff_t window = expand.c.kernel_w * expand.c.kernel_h * expand.c.in_c;
  const ptrdiff_t taps = depthwise.c.kernel_w * depthwise.c.kernel_h;
  clear(m.sums, c.out_w * c.out_c);
  for (int channel = 0; channel < c.slices * expand.c.out_c; channel += expand.c.out_c) {
    const Rows needed = window_of_row(depthwise.c, oy);
    if (needed.count > 0)
      expand_slice(expand.c, needed, in, m.rows, expand.weights + channel * window, expand.bias + channel,
                   expand.factor + channel * expand.c.factor_step);
    filter_slice(depthwise.c, oy, m.rows, m.row, depthwise.weights + channel * taps, depthwise.bias + channel,
                 depthwise.factor + channel * depthwise.c.factor_step);
    project_slice(project.c, oy, m.row, m.sums, project.weights + static_cast<ptrdiff_t>(channel) * c.out_c,
                  project.bias, project.factor);
  }
  finish_row(project.c, m.sums, out, project.bias, project.factor, oy);
}

template <class C, class In, class Out, class Expand, class Depthwise, class Project>
N2D2_INLINE void conv2d_bottleneck(const C& c, Rows rows, const In* in, Out* out, uint8_t* scratch,
                                   const Expand& expand, const Depthwise& depthwise, const Project& project) {
  for (int r = 0; r < rows.count; ++r)
    bottleneck_row(c, in, out, scratch, expand, depthwise, project, scan(c.bottom_up, r, rows));
}

}  // namespace N2D2_EXPORT_NAMESPACE
