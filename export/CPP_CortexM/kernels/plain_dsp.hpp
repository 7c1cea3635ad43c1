// Answers: what do weights in the order of the DSP instructions compute, in plain loops?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it reads the window of a layer (window.hpp) and the order of words_dsp.hpp, and
// gives the bytes of the instructions on machines that have none.
// Stack: below kStackBytes (plane.hpp). Scratch: that of the instructions; tile_bytes(1, words) are used.
#pragma once

#include "bias_rows_dsp.hpp"
#include "rescale.hpp"
#include "tile_narrow_dsp.hpp"
#include "window.hpp"
#include "words_dsp.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Gathers the window of output pixel (ox, oy) for n channels from those of `in` on as pairs.
template <class In>
N2D2_APART void dsp_gather_plain(const ConvWindow& w, const In* in, int oy, int ox, int n, int words,
                                 int16_t* to) {
  for (int i = 0; i < 2 * words; ++i) to[i] = 0;
  const int run = w.kernel_w * n;
  for (int ky = 0; ky < w.kernel_h; ++ky, to += 2 * run_words(run)) {
    const int y = oy * w.stride_y - w.pad_y + ky * w.dilation_y;
    if (y < 0 || y >= w.in.h) continue;
    for (int kx = 0; kx < w.kernel_w; ++kx) {
      const int x = ox * w.stride_x - w.pad_x + kx * w.dilation_x;
      if (x < 0 || x >= w.in.w) continue;
      const In* const from = in + w.in.row_at(y) + w.in.pixel_at(x);
      for (int i = 0; i < n; ++i) to[half_of(kx * n + i, run)] = from[i];
    }
  }
}

// Adds the products of outputs o and o + 1 of a group to sums[2].
N2D2_INLINE void dsp_add_pair(const int16_t* x, const int8_t* weights, int o, int words, int32_t* sums) {
  int32_t even = sums[0], odd = sums[1];
  weights += o / 2 * 4 * words;
  for (int i = 0; i < 2 * words; ++i) {
    const int b = weights[2 * i], a = weights[2 * i + 1] + (b < 0);
    even += x[i] * a, odd += x[i] * b;
  }
  sums[0] = even, sums[1] = odd;
}

N2D2_INLINE void dsp_add_pair(const int16_t* x, const Narrow<4, 0>* weights, int o, int words,
                              int32_t* sums) {
  weights += o / 4 * 4 * words;
  for (int i = 0; i < 2 * words; ++i) {
    const int half = weights[2 * i].fields | weights[2 * i + 1].fields << 8;
    sums[0] += x[i] * dsp_narrow_weight(half, o % 4), sums[1] += x[i] * dsp_narrow_weight(half, o % 4 + 1);
  }
}

// Computes the outputs of one group for one pixel from its gathered window; bias and factor are those of the
// group.
template <class Out, class Weight, class Factor>
N2D2_APART void dsp_outputs_plain(const ConvWindow& w, const int16_t* x, int words, const Weight* weights,
                                  const int32_t* bias, const Factor* factor, int outputs, Out* out) {
  for (int o = 0; o < outputs; o += 2) {
    int32_t sums[2] = {bias[o], bias[o + 1]};
    dsp_add_pair(x, weights, o, words, sums);
    out[o] = rescale<Out>(w, sums[0], factor[o]);
    if (o + 1 < outputs) out[o + 1] = rescale<Out>(w, sums[1], factor[o + 1]);
  }
}

// Computes all pixels one after the other.
template <class In, class Out, class Weight, class Factor>
N2D2_APART void dsp_conv_plain(const ConvWindow& w, Rows rows, const In* in, Out* out, const Weight* weights,
                               const int32_t* bias, const Factor* factor, int16_t* x) {
  const int group_c = w.in.c / w.groups, group_o = w.out.c / w.groups, padded = (group_o + 1) / 2 * 2;
  const int words = window_words(w.kernel_h, w.kernel_w * group_c);
  for (int r = 0; r < rows.count; ++r)
    for (int ox = 0; ox < w.out.w; ++ox) {
      const int oy = scan(w.bottom_up, r, rows);
      const int32_t* b = bias + bias_row(w, oy, ox) * padded * w.groups;
      Out* to = out + w.out.row_at(oy) + w.out.pixel_at(ox);
      for (int g = 0; g < w.groups; ++g, b += padded, to += group_o) {
        dsp_gather_plain(w, in + g * group_c, oy, ox, group_c, words, x);
        dsp_outputs_plain(w, x, words, weights + static_cast<ptrdiff_t>(g) * padded * 2 * words, b,
                          factor + g * padded, group_o, to);
      }
    }
}

}  // namespace N2D2_EXPORT_NAMESPACE
