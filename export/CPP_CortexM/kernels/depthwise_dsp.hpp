// Answers: what does a depthwise convolution of 3 x 3 compute with the DSP instructions of Cortex-M (M4, M7,
// M33)?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[c] + sum over (ky, kx) of x[c] * w) as conv_depthwise.hpp, to the same bytes. Inputs and
// outputs have 8 bits. Config fields: those of conv_depthwise.hpp, where kernel_w and kernel_h are 3,
// dilation_x and dilation_y are 1, and out_c is in_c; `lo` and `hi` are the bounds of the output's type,
// `factor_step` is 1, and `shift` is 32 where factors are integers.
// Arrays, aligned to 4 bytes: weights [in_c / 4, rounded up][3 rows][columns 2, 1, 0][4], 16 bits each, of
// channels c, c + 2, c + 1, c + 3; bias and factor [in_c rounded up to 4].
// Windows that lack column 0 or 2, and those that lack row 0 or 2, have code of their own; the other windows
// at a border, and the last in_c % 4 channels, are computed in plain loops.
// Stack: below kStackBytes (plane.hpp). Scratch: none.
#pragma once

#include "depthwise_plain_dsp.hpp"
#include "depthwise_rows_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

#if defined(N2D2_ISA_DSP) && N2D2_DSP_ASSEMBLY

// A layer while it is computed.
struct DspDepthwiseLayer {
  const ConvWindow& window;
  DspDepthwiseCode code;
  DspDepthwisePlain plain;
  DspDepthwiseArrays arrays;
  const uint8_t* in;
  uint8_t* out;
};

// The rows of a window that are inside, from column 0 on; those of one row less begin with null.
struct DspRows {
  const uint8_t* row[3];
  const int8_t* weights;  // null: fewer than two rows are inside
};
N2D2_INLINE DspRows dsp_rows(const DspDepthwiseLayer& l, int oy) {
  const ConvWindow& w = l.window;
  const int y = oy * w.stride_y - w.pad_y;
  const bool first = y >= 0 && y < w.in.h, second = y + 1 >= 0 && y + 1 < w.in.h;
  const bool third = y + 2 >= 0 && y + 2 < w.in.h;
  DspRows r = {{first && third ? l.in + w.in.row_at(y) : 0, l.in, l.in}, l.arrays.weights};
  if (!second || (!first && !third)) {
    r.weights = 0;
  } else if (third) {
    r.row[1] = l.in + w.in.row_at(y + 1), r.row[2] = l.in + w.in.row_at(y + 2);
  } else {
    r.row[1] = l.in + w.in.row_at(y), r.row[2] = l.in + w.in.row_at(y + 1);
    r.weights -= 24;
  }
  return r;
}

// Computes row oy.
N2D2_APART void dsp_depthwise_row(const DspDepthwiseLayer& l, int oy) {
  const ConvWindow& w = l.window;
  const DspRows rows = dsp_rows(l, oy);
  const int whole = w.in.c / 4 * 4;
  uint8_t* out = l.out + w.out.row_at(oy);
  int x = -w.pad_x;
  for (int ox = 0; ox < w.out.w; ++ox, x += w.stride_x, out += w.out.pixel) {
    DspDepthwise code = 0;
    int column = x;
    const int8_t* weights = rows.weights;
    if (x >= 0 && x + 3 <= w.in.w)
      code = l.code.all;
    else if (x == -1 && w.in.w >= 2)
      code = l.code.two, column = 0;
    else if (x >= 0 && x + 2 == w.in.w)
      code = l.code.two, weights += 8;
    int done = 0;
    if (code != 0 && rows.weights != 0 && whole > 0) {
      DspChannels c = {l.arrays.bias, l.arrays.factor, out, weights + whole * 18};
      const ptrdiff_t at = w.in.pixel_at(column);
      code(rows.row[0] != 0 ? rows.row[0] + at : 0, rows.row[1] + at, rows.row[2] + at, w.in.pixel, weights,
           &c);
      done = whole;
    }
    if (done < w.in.c) l.plain(w, l.in, out, l.arrays, oy, ox, done);
  }
}

template <class In, class Out, class Factor>
N2D2_INLINE void dsp_depthwise(const ConvWindow& w, Rows rows, const In* in, Out* out,
                               const DspDepthwiseArrays& arrays) {
  const DspDepthwiseLayer layer = {
      w,      DspDepthwises<In, Out, Factor>::code(), &dsp_depthwise_plain<In, Out, Factor>,
      arrays, reinterpret_cast<const uint8_t*>(in),   reinterpret_cast<uint8_t*>(out)};
  for (int r = 0; r < rows.count; ++r) dsp_depthwise_row(layer, scan(w.bottom_up, r, rows));
}

#else

template <class In, class Out, class Factor>
N2D2_INLINE void dsp_depthwise(const ConvWindow& w, Rows rows, const In* in, Out* out,
                               const DspDepthwiseArrays& arrays) {
  for (int r = 0; r < rows.count; ++r)
    for (int ox = 0; ox < w.out.w; ++ox) {
      const int oy = scan(w.bottom_up, r, rows);
      dsp_depthwise_plain<In, Out, Factor>(
          w, reinterpret_cast<const uint8_t*>(in),
          reinterpret_cast<uint8_t*>(out + w.out.row_at(oy) + w.out.pixel_at(ox)), arrays, oy, ox, 0);
    }
}

#endif

template <class C, class In, class Out, class Factor>
N2D2_INLINE void depthwise_dsp(const C& c, Rows rows, const In* in, Out* out, const int8_t* weights,
                               const int32_t* bias, const Factor* factor) {
  typedef DspWindow<C, DspConstant<C>::kYes> Window;
  const ConvWindow& w = Window::of_depthwise(c);
  const DspDepthwiseArrays arrays = {weights, bias, factor};
  dsp_depthwise<In, Out, Factor>(w, rows, in, out, arrays);
}

}  // namespace N2D2_EXPORT_NAMESPACE
