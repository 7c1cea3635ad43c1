// Answers: in which order does a convolution with the DSP instructions compute tiles, and what is a tile?
// Part of an exported project; may be used without condition.
//
// It has no config fields; the code is compiled once for all layers and all types of a network. A tile is
// `pixels` output pixels (4, 2 or 1) that follow each other, with all outputs; the last ones of a range are
// tiles of one. A tile gathers its windows before it writes, so it may reach into the next row. Tiles of a
// layer with groups or border biases stay within a row.
// Stack: below kStackBytes (plane.hpp) with its call tree. Scratch: tile_bytes(pixels, words).
#pragma once

#include "bias_rows_dsp.hpp"
#include "ends_dsp.hpp"
#include "gather_dsp.hpp"

#if defined(N2D2_ISA_DSP)

namespace N2D2_EXPORT_NAMESPACE {

enum { kDspPairs = 8 };  // pairs of outputs whose sums are stored at once

// What the code for the types of a layer is.
struct DspCode {
  DspWiden widen;
  void (*tile)(const uint32_t*, const int8_t*, const int32_t*, int32_t*, int, int);
  DspEnd end;
  void (*end_one)(const int32_t*, const void*, uint8_t*, int);
};

// The arrays of a layer.
struct DspArrays {
  const int8_t* weights;
  const int32_t* bias;
  const void* factor;  // elements of 4 bytes
  uint32_t* words;

  // Returns the arrays from output o on, whose pair's weights are `bytes` long.
  N2D2_INLINE DspArrays behind(int o, int bytes) const {
    const DspArrays a = {weights + o / 2 * bytes, bias + o, static_cast<const int32_t*>(factor) + o, words};
    return a;
  }
};

// Computes n outputs of a tile from its gathered windows, and moves out[p] behind them.
N2D2_APART void dsp_tile(const DspCode& code, DspArrays a, int bytes, int n, uint8_t** out) {
  int32_t sums[kDspPairs * 2 * 4];
  for (; n > 0; n -= 2 * kDspPairs, a = a.behind(2 * kDspPairs, bytes)) {
    const int some = smaller(n, 2 * kDspPairs);
    code.tile(a.words, a.weights, a.bias, sums, (some + 1) / 2, bytes);
    if (some > 1) code.end(sums, a.factor, out, some / 2);
    if (some % 2 == 0) continue;
    const int pixels = code.widen.pixels;
    for (int p = 0; p < pixels; ++p)
      code.end_one(sums + (some - 1) * pixels + p, static_cast<const int32_t*>(a.factor) + some - 1, out[p]++,
                   1);
  }
}

// Computes n outputs of one pixel from its gathered window.
N2D2_APART void dsp_pixel(const DspCode& code, DspArrays a, int bytes, int n, uint8_t* out) {
  int32_t sums[kDspPairs * 2];
  for (; n > 0; n -= 2 * kDspPairs, out += 2 * kDspPairs, a = a.behind(2 * kDspPairs, bytes)) {
    const int some = smaller(n, 2 * kDspPairs);
    tile_of_1(a.words, a.weights, a.bias, sums, (some + 1) / 2, bytes);
    code.end_one(sums, a.factor, out, some);
  }
}

// A layer while it is computed.
struct DspLayer {
  const DspCode& code;
  const DspArrays& arrays;
  DspSource source;
  uint8_t* out;
  int outputs, padded;  // of a group
  int bytes;            // of the weights of a pair

  // Sets out[p] to the pixels of a tile from (ox, oy) on.
  N2D2_INLINE void place(int oy, int ox, uint8_t** to) const {
    const Plane& map = source.window.out;
    to[0] = out + map.row_at(oy) + map.pixel_at(ox);
    if (ox + code.widen.pixels <= source.out_w) {
      to[1] = to[0] + map.pixel, to[2] = to[1] + map.pixel, to[3] = to[2] + map.pixel;
      return;
    }
    for (int p = 1; p < code.widen.pixels; ++p) {
      if (++ox == source.out_w) ox = 0, ++oy;
      to[p] = out + map.row_at(oy) + map.pixel_at(ox);
    }
  }
  // Computes the tile, or the single pixel, from (ox, oy) on.
  N2D2_APART void compute(int oy, int ox, bool tile) const {
    uint8_t* to[4];
    DspArrays a = arrays;
    if (has_borders(source.window))
      a.bias += bias_row_of(source.window, oy, ox) * source.window.groups * padded;
    if (tile)
      place(oy, ox, to);
    else
      to[0] = out + source.window.out.row_at(oy) + source.window.out.pixel_at(ox);
    for (int g = 0; g < source.window.groups; ++g, a = a.behind(padded, bytes)) {
      if (tile) {
        gather_tile(source, oy, ox, g * source.group_c, a.words);
        dsp_tile(code, a, bytes, outputs, to);
      } else {
        gather_pixel(source, oy, ox, g * source.group_c, 1, a.words);
        dsp_pixel(code, a, bytes, outputs, to[0]);
        to[0] += outputs;
      }
    }
  }
  // Whether the pixels of a tile from (ox, oy) on, all of one row, have the same biases.
  N2D2_INLINE bool alike(int oy, int ox) const {
    const ConvWindow& w = source.window;
    return !has_borders(w) || bias_row_of(w, oy, ox) == bias_row_of(w, oy, ox + code.widen.pixels - 1);
  }
  // Computes n pixels from pixel `first` of the map on, in scan order.
  N2D2_INLINE void line(int first, int n) const {
    const int pixels = code.widen.pixels, tiles = pixels > 1 ? n / pixels : 0;
    const int pieces = n - tiles * (pixels - 1);
    for (int i = 0; i < pieces; ++i) {
      const int piece = source.window.bottom_up ? pieces - 1 - i : i;
      const bool tile = piece < tiles;
      const int at = first + (tile ? piece * pixels : piece + tiles * (pixels - 1));
      const int oy = at / source.out_w, ox = at % source.out_w;
      if (!tile || alike(oy, ox)) {
        compute(oy, ox, tile);
        continue;
      }
      for (int p = 0; p < pixels; ++p) compute(oy, ox + p, false);
    }
  }
};

// Whether the pixels of the map are one row: a window is a pixel, and the maps are contiguous.
N2D2_INLINE bool is_one_row(const ConvWindow& w) {
  return w.kernel_w == 1 && w.kernel_h == 1 && w.stride_x == 1 && w.stride_y == 1 && w.pad_x == 0 &&
         w.pad_y == 0 && w.groups == 1 && w.in.w == w.out.w && w.in.h == w.out.h && w.in.dense() &&
         w.out.dense() && !has_borders(w);
}

// Computes output rows `rows` of a layer.
N2D2_APART void conv_tiles(const ConvWindow& w, const DspCode& code, Rows rows, const uint8_t* in,
                           uint8_t* out, const DspArrays& arrays) {
  const int group_c = w.in.c / w.groups, outputs = w.out.c / w.groups, run = w.kernel_w * group_c;
  const int words = window_words(w.kernel_h, run);
  DspLayer layer = {code,
                    arrays,
                    {w, code.widen, in, w.in.w, w.in.h, w.out.w, group_c, run, words,
                     w.kernel_w == 1 || (w.dilation_x == 1 && w.in.pixel == group_c)},
                    out,
                    outputs,
                    (outputs + 1) / 2 * 2,
                    4 * words};
  int first = rows.first * w.out.w, n = w.out.w;
  int lines = rows.count;
  if (is_one_row(w)) {
    layer.source.in += w.in.row_at(rows.first), layer.out += w.out.row_at(rows.first);
    first = 0, n *= rows.count, lines = n > 0 ? 1 : 0;
    layer.source.in_w = layer.source.out_w = n, layer.source.in_h = 1;
  } else if (w.groups == 1 && !has_borders(w)) {
    n *= rows.count, lines = n > 0 ? 1 : 0;
  }
  for (int i = 0; i < lines; ++i) layer.line(first + (w.bottom_up ? lines - 1 - i : i) * n, n);
}

}  // namespace N2D2_EXPORT_NAMESPACE

#endif  // N2D2_ISA_DSP
