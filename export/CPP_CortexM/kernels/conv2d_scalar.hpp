// Answers: what does a convolution compute on a core without DSP instructions (Cortex-M0, M0+, M3, M23)?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (ky, kx, c) of x * w), as conv.hpp; elements have 8 bits. Config fields:
// those of conv.hpp without packed, matrix and small_factors; bounds are those of the output's type.
// Arrays: weights [groups][pairs][inputs][2], pairs = half of a group's outputs, rounded up; inputs =
// kernel_h * kernel_w * in_c / groups, rounded up to a multiple of 4; a weight of 0 where there is none;
// stored as the byte w + 128. bias [rows of biases][groups][pairs][2], for signed inputs less 128 * sum of
// w; factor [groups][pairs][2], floats or int32_t. No sum exceeds 2^29.
// A tile is four pixels, which may be of two rows: all of it is read before any of it is written.
// Scratch, at any address: 8 * inputs bytes, and 3 more to align it to 4; on processors that are no
// Cortex-M none.
// Stack: below the STACK_SIZE of an export (mem_info.hpp), with its callers.
#pragma once

#include "conv_parts.hpp"
#include "ends_scalar.hpp"
#include "gather_scalar.hpp"
#include "window_scalar.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The arrays of a convolution and what of its layout follows from the window.
template <class Factor>
struct ScalarLayer {
  const int8_t* weights;
  const int32_t* bias;
  const Factor* factor;
  int channels, outputs;  // of a group
  int pairs, inputs;      // of a group, of a window with those that fill it up
  bool has_borders;

  static N2D2_INLINE ScalarLayer of(const ConvWindow& w, const int8_t* weights, const int32_t* bias,
                                    const Factor* factor) {
    const int channels = w.groups > 1 ? w.in.c / w.groups : w.in.c;
    const int outputs = w.groups > 1 ? w.out.c / w.groups : w.out.c;
    const ScalarLayer l = {weights,
                           bias,
                           factor,
                           channels,
                           outputs,
                           (outputs + 1) / 2,
                           (w.kernel_h * w.kernel_w * channels + 3) / 4 * 4,
                           (w.border_top | w.border_bottom | w.border_left | w.border_right) != 0};
    return l;
  }
  N2D2_INLINE const int32_t* biases_of(const ConvWindow& w, int y, int x) const {
    if (!has_borders) return bias;
    const int columns = kind_of(w.out.w - 1, w.out.w, w.border_left, w.border_right) + 1;
    const int row = kind_of(y, w.out.h, w.border_top, w.border_bottom);
    const int column = kind_of(x, w.out.w, w.border_left, w.border_right);
    return bias + static_cast<ptrdiff_t>(row * columns + column) * 2 * w.groups * pairs;
  }
  ScalarLayer of_next_group() const {
    const ScalarLayer l = {weights + 2 * static_cast<ptrdiff_t>(pairs) * inputs,
                           bias,
                           factor + 2 * pairs,
                           channels,
                           outputs,
                           pairs,
                           inputs,
                           has_borders};
    return l;
  }
};

// Up to four pixels of the output with the same biases.
template <class Out>
struct FourPixels {
  FourWindows windows;
  Out* to[4];
  const int32_t* bias;
};

#if defined(N2D2_ISA_THUMB)

// Walks over the pixels of rows in scan order.
template <class Out>
struct PixelWalk {
  int row, x;     // the next pixel
  Out* to;        // set where x > 0, as the two below
  int top, left;  // of its window

  // Takes up to four pixels; those that are missing are the last one again.
  template <class Factor>
  N2D2_INLINE void take(const ConvWindow& w, Rows rows, const ScalarLayer<Factor>& layer, Out* out,
                        FourPixels<Out>& four) {
    int n = 0;
    while (n < 4 && row < rows.count) {
      const int y = scan(w.bottom_up, row, rows);
      if (x == 0) to = out + w.out.row_at(y), top = y * w.stride_y - w.pad_y, left = -w.pad_x;
      const int32_t* bias = layer.has_borders ? layer.biases_of(w, y, x) : layer.bias;
      if (n > 0 && bias != four.bias) break;
      four.bias = bias;
      four.windows.y[n] = top, four.windows.x[n] = left, four.to[n] = to;
      ++n, ++x, to += w.out.pixel, left += w.stride_x;
      if (x < w.out.w) continue;
      x = 0, ++row;
      if (w.groups > 1) break;  // a group is written before the next one is read
    }
    for (; n < 4; ++n) {
      four.windows.y[n] = four.windows.y[n - 1], four.windows.x[n] = four.windows.x[n - 1];
      four.to[n] = four.to[n - 1];
    }
  }
};

// The outputs [first, first + count) of four pixels, count <= 2, from their sums.
template <class Out, class Factor>
N2D2_APART void put_scalar(const ConvWindow& w, const int32_t* sums, const Factor* factor, Out* const* to,
                           int first, int count) {
  for (int j = 0; j < count; ++j, sums += 4, ++first) {
    const End<Factor> end = End<Factor>::of(w, factor[j]);
    end.put(sums[0], to[0] + first), end.put(sums[1], to[1] + first);
    end.put(sums[2], to[2] + first), end.put(sums[3], to[3] + first);
  }
}

// All outputs of a group for four pixels, from `first` on.
template <class Out, class Factor>
N2D2_APART void outputs_scalar(const ConvWindow& w, const ScalarLayer<Factor>& layer,
                               const FourPixels<Out>& four, const TileWords& words, const uint32_t* start,
                               const int32_t* bias, int first) {
  ScalarPairs<Out, Factor> pairs;
  for (int p = 0; p < 4; ++p)
    pairs.less[p] = static_cast<int32_t>(128 * words.total[p]), pairs.to[p] = four.to[p] + first;
  pairs.words = start, pairs.weights = layer.weights, pairs.bias = bias, pairs.factor = layer.factor;
  pairs.bytes = 2 * layer.inputs, pairs.at = 0, pairs.end = layer.outputs / 2 * 2;
  pairs.is_stored = End<Factor>::is_stored(w);
  while (pairs.at < layer.outputs) {
    if (pairs.at == pairs.end) pairs.is_stored = 0;
    if (pairs_scalar(&pairs) == 0) continue;
    put_scalar(w, pairs.sums, layer.factor + pairs.at, pairs.to, pairs.at,
               smaller(2, layer.outputs - pairs.at));
    pairs.at += 2, pairs.weights += pairs.bytes;
  }
}

template <class In, class Out, class Factor>
N2D2_APART void conv_rows_scalar(const ConvWindow& w, Rows rows, const In* in, Out* out,
                                 const int8_t* weights, const int32_t* bias, const Factor* factor,
                                 uint32_t* scratch) {
  const ScalarLayer<Factor> layer = ScalarLayer<Factor>::of(w, weights, bias, factor);
  PixelWalk<Out> walk = {0, 0, out, 0, 0};
  while (walk.row < rows.count) {
    FourPixels<Out> four;
    four.bias = bias;
    walk.take(w, rows, layer, out, four);
    ScalarLayer<Factor> group = layer;
    for (int g = 0; g < w.groups; ++g) {
      TileWords words = {scratch, {0, 0, 0, 0}};
      gather_scalar(w, four.windows, in + g * layer.channels, layer.channels, words);
      outputs_scalar(w, group, four, words, scratch, four.bias + 2 * g * layer.pairs, g * layer.outputs);
      group = group.of_next_group();
    }
  }
}

#endif

// The plain reader: every weight from where it is stored, by plain arithmetic.
template <class In, class Out, class Factor>
struct PlainScalar {
  const ConvWindow& w;
  ScalarLayer<Factor> layer;
  const In* in;

  N2D2_INLINE int32_t sum(int y, int x, int g, int o) const {
    const int8_t* weights =
        layer.weights + (static_cast<ptrdiff_t>(g * layer.pairs + o / 2) * layer.inputs) * 2 + o % 2;
    int32_t sum = 0;
    for (int ky = 0; ky < w.kernel_h; ++ky)
      for (int kx = 0; kx < w.kernel_w; ++kx) {
        const int iy = y * w.stride_y - w.pad_y + ky * w.dilation_y,
                  ix = x * w.stride_x - w.pad_x + kx * w.dilation_x;
        const bool inside = iy >= 0 && iy < w.in.h && ix >= 0 && ix < w.in.w;
        const In* from = in + (inside ? w.in.row_at(iy) + w.in.pixel_at(ix) : 0) + g * layer.channels;
        for (int c = 0; c < layer.channels; ++c, weights += 2) {
          const int32_t weight = static_cast<uint8_t>(*weights) - 128;
          const int32_t offset = static_cast<In>(-1) < 0 ? 128 : 0;
          sum += ((inside ? from[c] : 0) + offset) * weight;
        }
      }
    return sum;
  }
  N2D2_INLINE void pixel(int y, int x, Out* out) const {
    const int32_t* bias = layer.biases_of(w, y, x);
    for (int g = 0; g < w.groups; ++g)
      for (int o = 0; o < layer.outputs; ++o) {
        const int at = 2 * g * layer.pairs + o;
        out[g * layer.outputs + o] = rescale<Out>(w, bias[at] + sum(y, x, g, o), layer.factor[at]);
      }
  }
};

template <class In, class Out, class Factor>
N2D2_APART void conv_plain_scalar(const ConvWindow& w, Rows rows, const In* in, Out* out,
                                  const int8_t* weights, const int32_t* bias, const Factor* factor) {
  const PlainScalar<In, Out, Factor> plain = {w, ScalarLayer<Factor>::of(w, weights, bias, factor), in};
  for (int r = 0; r < rows.count; ++r) {
    const int y = scan(w.bottom_up, r, rows);
    for (int x = 0; x < w.out.w; ++x) plain.pixel(y, x, out + w.out.row_at(y) + w.out.pixel_at(x));
  }
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void conv2d_scalar(const C& c, Rows rows, const In* in, Out* out, const int8_t* weights,
                               const int32_t* bias, const Factor* factor, void* scratch) {
  const ConvWindow& w = ScalarWindow<C>::of(c);
#if defined(N2D2_ISA_THUMB)
  const uintptr_t words = (reinterpret_cast<uintptr_t>(scratch) + 3) / 4 * 4;
  conv_rows_scalar(w, rows, in, out, weights, bias, factor, reinterpret_cast<uint32_t*>(words));
#else
  (void)scratch;
  conv_plain_scalar(w, rows, in, out, weights, bias, factor);
#endif
}

}  // namespace N2D2_EXPORT_NAMESPACE
