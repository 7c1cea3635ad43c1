// Answers: what does a fully connected layer compute with the DSP instructions of Cortex-M (M4, M7, M33)?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (y, x, c) of x * w) as fc.hpp, to the same bytes: a convolution whose kernel
// is the map, with one output pixel. `rows` is {0, 1} or empty. Config fields: in_*, out_c, lo, hi, shift of
// fc.hpp; what conv2d_dsp.hpp says of bounds, factors, arrays and types holds.
// Output and input must not overlap.
// Stack: below kStackBytes (plane.hpp). Scratch: tile_bytes(1, words) of words_dsp.hpp, and 3 more to align
// it to 4.
#pragma once

#include "conv2d_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C, class In, class Out, class Weight, class Factor>
N2D2_INLINE void fc_dsp(const C& c, Rows rows, const In* in, Out* out, const Weight* weights,
                        const int32_t* bias, const Factor* factor, void* scratch) {
  typedef DspWindow<C, DspConstant<C>::kYes> Window;
  const ConvWindow& w = Window::of_map(c);
  conv_dsp(w, 1, rows, in, out, weights, bias, factor, scratch);
}

}  // namespace N2D2_EXPORT_NAMESPACE
