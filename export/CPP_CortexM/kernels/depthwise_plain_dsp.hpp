// Answers: what do depthwise weights in the order of the DSP instructions compute, in plain loops?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it reads the window of a layer (window.hpp) and the order of depthwise_dsp.hpp,
// and gives the bytes of the instructions for windows and channels, and on machines, that those do not serve.
// Stack: 100 bytes. Scratch: none.
#pragma once

#include "ends_dsp.hpp"
#include "window_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct DspDepthwiseArrays {
  const int8_t* weights;
  const int32_t* bias;
  const void* factor;
};

// Computes channels from `first` on of pixel (ox, oy), which is at `out`.
typedef void (*DspDepthwisePlain)(const ConvWindow&, const uint8_t* in, uint8_t* out,
                                  const DspDepthwiseArrays&, int oy, int ox, int first);

template <class In, class Out, class Factor>
N2D2_DSP_SMALL void dsp_depthwise_plain(const ConvWindow& w, const uint8_t* in, uint8_t* out,
                                        const DspDepthwiseArrays& a, int oy, int ox, int first) {
  const Factor* const factor = static_cast<const Factor*>(a.factor);
  const int y0 = oy * w.stride_y - w.pad_y, x0 = ox * w.stride_x - w.pad_x;
  for (int c = first; c < w.in.c; ++c) {
    // Channel c is number (c % 2) * 2 + c / 2 % 2 of its four.
    const int8_t* const weights = a.weights + c / 4 * 72 + (c % 2 * 2 + c / 2 % 2) * 2;
    int32_t sum = a.bias[c];
    for (int ky = 0; ky < 3; ++ky) {
      const int y = y0 + ky;
      if (y < 0 || y >= w.in.h) continue;
      const uint8_t* const row = in + w.in.row_at(y) + c;
      for (int kx = 0; kx < 3; ++kx) {
        const int x = x0 + kx;
        if (x < 0 || x >= w.in.w) continue;
        sum += static_cast<In>(row[w.in.pixel_at(x)]) * weights[(ky * 3 + 2 - kx) * 8];
      }
    }
    out[c] = static_cast<uint8_t>(dsp_end<Out>(w, sum, factor[c]));
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
