// Answers: which row of biases has an output pixel of a layer with borders?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it reads the borders of window.hpp, whose order of biases is that of conv.hpp.
// Stack: none of note. Scratch: none.
#pragma once

#include "window.hpp"
#include "words_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

N2D2_INLINE bool has_borders(const ConvWindow& w) {
  return (w.border_top | w.border_bottom | w.border_left | w.border_right) != 0;
}

// Returns the class of output i along an axis: `first` leading ones, one for all between, `last` trailing.
N2D2_INLINE int bias_class(int i, int size, int first, int last) {
  const int between = size - first - last;
  if (i < first) return i;
  return i < first + between ? first : i - between + (between > 0 ? 1 : 0);
}

// Returns the row of biases of pixel (ox, oy).
N2D2_DSP_SMALL int dsp_bias_row(const ConvWindow& w, int oy, int ox) {
  const int columns = bias_class(w.out.w - 1, w.out.w, w.border_left, w.border_right) + 1;
  return bias_class(oy, w.out.h, w.border_top, w.border_bottom) * columns +
         bias_class(ox, w.out.w, w.border_left, w.border_right);
}
N2D2_INLINE int bias_row(const ConvWindow& w, int oy, int ox) {
  return has_borders(w) ? dsp_bias_row(w, oy, ox) : 0;
}

}  // namespace N2D2_EXPORT_NAMESPACE
