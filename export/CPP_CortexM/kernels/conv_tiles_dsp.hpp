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
#include "tile_narrow_dsp.hpp"

#if defined(N2D2_ISA_DSP)

namespace N2D2_EXPORT_NAMESPACE {

enum { kDspPairs = 4 };  // pairs of outputs whose sums are stored at once

typedef void (*DspTile)(const uint32_t*, const int8_t*, const int32_t*, int32_t*, int, int);

// What the code for the types of a layer is.
struct DspCode {
  DspWiden widen;
  DspTile tile, one;  // of several pixels, of one
  int of_pair;        // bytes of a word of weights for a pair of outputs
  DspEnd end;
  void (*end_one)(const int32_t*, const void*, uint8_t*, int);
};

// A layer while it is computed.
struct DspLayer {
  DspSource source;
  const DspCode& code;
  uint8_t* out;
  const int8_t* weights;
  const int32_t* bias;
  const int32_t* factor;  // or floats
  uint32_t* words;
  int bytes;            // of the weights of a pair
  int outputs, padded;  // of a group
  bool borders;         // there are rows of biases
};

// Computes outputs [first, first + n) of a tile, counted in padded outputs, from its gathered windows, and
// moves out[p] behind them.
N2D2_APART void dsp_tile(const DspLayer& l, const int32_t* bias, int first, int n, uint8_t** out) {
  int32_t sums[kDspPairs * 2 * 4];
  const int8_t* weights = l.weights + first / 2 * l.bytes;
  const int32_t* factor = l.factor + first;
  while (n > 0) {
    const int pairs = smaller((n + 1) / 2, kDspPairs);
    l.code.tile(l.words, weights, bias, sums, pairs, l.bytes);
    if (n > 1) l.code.end(sums, factor, out, smaller(n / 2, kDspPairs));
    weights += pairs * l.bytes, bias += 2 * pairs, factor += 2 * pairs, n -= 2 * pairs;
    if (n >= 0) continue;
    const int pixels = l.source.widen.pixels;
    for (int p = 0; p < pixels; ++p)
      l.code.end_one(sums + (2 * pairs - 2) * pixels + p, factor - 2, out[p]++, 1);
  }
}

// Computes outputs [first, first + n) of one pixel as dsp_tile does.
N2D2_APART void dsp_pixel(const DspLayer& l, const int32_t* bias, int first, int n, uint8_t* out) {
  int32_t sums[kDspPairs * 2];
  const int8_t* weights = l.weights + first / 2 * l.bytes;
  const int32_t* factor = l.factor + first;
  for (; n > 0; n -= 2 * kDspPairs) {
    const int pairs = smaller((n + 1) / 2, kDspPairs);
    l.code.one(l.words, weights, bias, sums, pairs, l.bytes);
    l.code.end_one(sums, factor, out, smaller(n, 2 * kDspPairs));
    weights += pairs * l.bytes, bias += 2 * pairs, factor += 2 * pairs, out += 2 * pairs;
  }
}

// Sets out[p] to the pixels of a tile from (ox, oy) on.
N2D2_INLINE void place_tile(const DspLayer& l, int oy, int ox, uint8_t** to) {
  const Plane& map = l.source.window.out;
  to[0] = l.out + map.row_at(oy) + map.pixel_at(ox);
  to[1] = to[0] + map.pixel, to[2] = to[1] + map.pixel, to[3] = to[2] + map.pixel;
  for (int p = l.source.out_w - ox; p < l.source.widen.pixels; ++p) {
    const int x = ox + p;
    to[p] = l.out + map.row_at(oy + x / l.source.out_w) + map.pixel_at(x % l.source.out_w);
  }
}

// Computes the tile, or the single pixel, from (ox, oy) on.
N2D2_APART void compute_pixels(const DspLayer& l, int oy, int ox, bool tile) {
  const int32_t* bias = l.bias;
  if (l.borders) bias += dsp_bias_row(l.source.window, oy, ox) * l.source.window.groups * l.padded;
  uint8_t* to[4];
  place_tile(l, oy, ox, to);
  for (int g = 0, first = 0; g < l.source.window.groups; ++g, first += l.padded) {
    if (tile) {
      gather_tile(l.source, oy, ox, g * l.source.group_c, l.words);
      dsp_tile(l, bias + first, first, l.outputs, to);
    } else {
      gather_pixel(l.source, oy, ox, g * l.source.group_c, 1, l.words);
      dsp_pixel(l, bias + first, first, l.outputs, to[0] + g * l.outputs);
    }
  }
}

// Computes n pixels from pixel `first` of the map on, in scan order.
N2D2_INLINE void compute_line(const DspLayer& l, int first, int n) {
  const int pixels = l.source.widen.pixels, tiles = pixels > 1 ? n / pixels : 0;
  const int pieces = n - tiles * (pixels - 1);
  for (int i = 0; i < pieces; ++i) {
    const int piece = l.source.window.bottom_up ? pieces - 1 - i : i;
    bool tile = piece < tiles;
    const int at = first + (tile ? piece * pixels : piece + tiles * (pixels - 1));
    const int oy = at / l.source.out_w, ox = at % l.source.out_w;
    int parts = 1;
    // Pixels of a tile have the same biases; with borders, they are all of one row.
    if (tile && l.borders &&
        dsp_bias_row(l.source.window, oy, ox) != dsp_bias_row(l.source.window, oy, ox + pixels - 1))
      parts = pixels, tile = false;
    for (int p = 0; p < parts; ++p) compute_pixels(l, oy, ox + p, tile);
  }
}

// Whether the pixels of the map are one row: a window is a pixel, and the maps are contiguous. A constant
// where the window is one.
N2D2_INLINE bool is_one_row(const ConvWindow& w) {
  return w.kernel_w == 1 && w.kernel_h == 1 && w.stride_x == 1 && w.stride_y == 1 && w.groups == 1 &&
         w.pad_x == 0 && w.pad_y == 0 && w.in.w == w.out.w && w.in.h == w.out.h && w.in.dense() &&
         w.out.dense() && !has_borders(w);
}

// Computes output rows `rows` of a layer, of which window, in, code, out, weights, bias, factor and words are
// set.
N2D2_DSP_SMALL void conv_tiles(DspLayer& l, Rows rows, bool one_row) {
  const ConvWindow& w = l.source.window;
  l.source.widen = l.code.widen;
  l.source.in_w = w.in.w, l.source.in_h = w.in.h, l.source.out_w = w.out.w;
  l.source.group_c = w.in.c / w.groups, l.source.run = w.kernel_w * l.source.group_c;
  l.source.runs = w.kernel_w == 1 || (w.dilation_x == 1 && w.in.pixel == l.source.group_c);
  l.bytes = l.code.of_pair * window_words(w.kernel_h, l.source.run);
  l.outputs = w.out.c / w.groups, l.padded = (l.outputs + 1) / 2 * 2;
  l.borders = has_borders(w);
  int first = rows.first * w.out.w, n = w.out.w, lines = rows.count;
  if (w.groups == 1 && !l.borders) {
    n *= lines, lines = lines > 0 ? 1 : 0;
    if (one_row) {
      l.source.in += w.in.row_at(rows.first), l.out += w.out.row_at(rows.first);
      l.source.in_w = l.source.out_w = n, l.source.in_h = 1, first = 0;
    }
  }
  for (int i = 0; i < lines; ++i) compute_line(l, first + (w.bottom_up ? lines - 1 - i : i) * n, n);
}

}  // namespace N2D2_EXPORT_NAMESPACE

#endif  // N2D2_ISA_DSP
