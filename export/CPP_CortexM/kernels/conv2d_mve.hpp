// Answers: how does a convolution compute on MVE instructions (Cortex-M55, M85), two pixels and four
// outputs at a time? Part of an exported project; may be used without condition.
//
// The bytes are those of conv.hpp. Config fields are those of conv.hpp; packed, matrix, parallel,
// small_factors and factor_step are not read; and
//   tile_pixels   2: pixels are computed in pairs; 1: one at a time, in less scratch and about half as fast
// Inputs and outputs have 8 bits, lo and hi are the bounds of the output's type, factors are floats, or
// int32_t with shift 32. Groups, dilation, borders, rings and distances of pixels are served.
//
// Arrays (targets/cortexm/layouts/mve.hpp makes them); a group of the layer has out_c / groups outputs,
// filled up to a multiple of 4, and K = kernel_h * kernel_w * in_c / groups:
//   weights  [groups][outputs / 4][K / 16][4][16], filled up with zeros; of 4 bits and one group: those of
//            tile_narrow_mve.hpp
//   bias     [rows of biases][groups][outputs]; for unsigned inputs with 128 * (sum of the weights) in each
//   factor   [groups][outputs]
// Scratch, at any address: kMveScratchSpare + kMveSumsBytes + tile_pixels * (K up to a multiple of 16)
// bytes, for sums and windows. Stack: at most 512 bytes, with its call tree.
//
// The inputs of a tile are gathered before it writes, so that a tile may reach into the next row of the
// scan.
#pragma once

#include "ends_mve.hpp"
#include "tile_narrow_mve.hpp"
#include "window_mve.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kMveSumsBytes = 2 * kMveOutputs * 4 };

// The arrays of a call, at the group that is computed, and the size of a window.
struct MveCall {
  const int8_t* in;
  int8_t* out;
  const int8_t* weights;
  const int32_t* bias;
  const int32_t* factor;  // or floats, which have the same size
  int32_t* sums;          // both in scratch
  int8_t* windows;
  MveEnds ends;
  MveTiles tiles;
  int flip, c, outputs, steps;  // channels and outputs of a group
  int pixels;                   // of a tile
};

// Returns outputs up to whole groups of weights.
N2D2_INLINE int mve_padded(int outputs) {
  return (outputs + kMveGroup - 1) / kMveGroup * kMveGroup;
}

N2D2_INLINE bool mve_has_borders(const ConvWindow& w) {
  return w.border_top + w.border_bottom + w.border_left + w.border_right > 0;
}

// Returns the biases of output pixel (x, y).
N2D2_INLINE int mve_border(int i, int size, int leading, int trailing) {
  const int between = size - leading - trailing;
  return i < leading ? i : (i < leading + between ? leading : i - between + (between > 0));
}
N2D2_MVE_SHARED const int32_t* mve_biases(const ConvWindow& w, const int32_t* bias, int y, int x) {
  if (!mve_has_borders(w)) return bias;
  const int columns = mve_border(w.out.w - 1, w.out.w, w.border_left, w.border_right) + 1;
  const int kind = mve_border(y, w.out.h, w.border_top, w.border_bottom) * columns +
                   mve_border(x, w.out.w, w.border_left, w.border_right);
  return bias + static_cast<ptrdiff_t>(kind) * w.groups * mve_padded(w.out.c / w.groups);
}

// Computes the outputs of the pixel whose window is at x and, where `second` is not null, of that behind
// it.
N2D2_MVE_SHARED void mve_outputs(const MveCall& call, const int8_t* x, const int32_t* bias, int8_t* first,
                                 int8_t* second) {
  int32_t* const sums = call.sums;
  const int8_t* weights = call.weights;
  const int32_t* factor = call.factor;
  for (int left = call.outputs, n = 0; left > 0; left -= n) {
    n = smaller(kMveOutputs, left);
    const int groups = (n + kMveGroup - 1) / kMveGroup;
    if (second == 0) {
      call.tiles.one(x, weights, bias, sums, groups, call.steps);
      call.ends.few(sums, factor, first, n);
    } else {
      call.tiles.two(x, weights, bias, sums, groups, call.steps);
      if (n == kMveOutputs) {
        call.ends.two(sums, factor, first, second);
      } else {
        call.ends.few(sums, factor, first, n);
        call.ends.few(sums + kMveOutputs, factor, second, n);
      }
      second += n;
    }
    weights += groups * call.steps * call.tiles.step;
    bias += n, factor += n, first += n;
  }
}

// Computes one output pixel, or the two output pixels that follow each other in the scan, wherever they
// are.
N2D2_MVE_SHARED void mve_any_tile(const ConvWindow& w, const MveCall& call, int y, int x, bool two) {
  const int next_y = x + 1 == w.out.w ? y + 1 : y, next_x = x + 1 == w.out.w ? 0 : x + 1;
  int8_t* const behind = call.windows + call.steps * kMveStep;
  int8_t* const first = call.out + w.out.row_at(y) + w.out.pixel_at(x);
  const int32_t* const bias = mve_biases(w, call.bias, y, x);
  mve_gather(w, call.in, call.c, call.flip, y, x, call.windows);
  if (!two) return mve_outputs(call, call.windows, bias, first, 0);
  mve_gather(w, call.in, call.c, call.flip, next_y, next_x, behind);
  int8_t* const second = call.out + w.out.row_at(next_y) + w.out.pixel_at(next_x);
  const int32_t* const next_bias = mve_biases(w, call.bias, next_y, next_x);
  mve_outputs(call, call.windows, bias, first, bias == next_bias ? second : 0);
  if (bias != next_bias) mve_outputs(call, behind, next_bias, second, 0);
}

// Neighbours x and x + 1 of an output row, first <= x < last, whose windows are within the map and which
// have the same biases, and how their windows are copied.
struct MveLine {
  MveCopy copy;
  int rows, rows_wrapped;       // kernel rows before and behind the place where the view wraps
  const int8_t *upper, *lower;  // both parts, at column 0 of the output
  int8_t* out;
  const int32_t* bias;
  int first, last, columns;  // columns: `last` of rows within the map
};

N2D2_MVE_SHARED void mve_start(MveLine& line, const ConvWindow& w, const MveCall& call) {
  const int reach = w.in.w - 1 - (w.kernel_w - 1) * w.dilation_x + w.pad_x;
  const int padded = (w.pad_x + w.stride_x - 1) / w.stride_x;
  line.first = padded < w.border_left ? w.border_left : padded;
  const int end = reach < 0 || !mve_taps_are_run(w, call.c) ? 0 : reach / w.stride_x + 1;
  line.columns = smaller(end, w.out.w - w.border_right) - 1;
  const int run = w.kernel_w * call.c, window = call.steps * kMveStep;
  const int row = static_cast<int>(w.dilation_y * w.in.row),
            pixel = static_cast<int>(w.stride_x * w.in.pixel);
  const MveCopy of_rows = {run, w.kernel_h, row, run, 2, pixel, window, call.flip};
  const MveCopy of_pixels = {run, 2, pixel, window, 1, 0, 0, call.flip};
  line.copy = w.kernel_h == 1 ? of_pixels : of_rows;
}

N2D2_MVE_SHARED void mve_go_to(MveLine& line, const ConvWindow& w, const MveCall& call, int y) {
  const int y0 = y * w.stride_y - w.pad_y;
  line.out = call.out + w.out.row_at(y);
  line.last = 0;
  if (call.pixels < 2) return;  // every window is gathered by itself
  if (y0 < 0 || y0 + (w.kernel_h - 1) * w.dilation_y >= w.in.h) return;
  line.last = line.columns;
  line.bias = mve_biases(w, call.bias, y, line.first);
  line.rows = mve_rows_before_wrap(w.in, y0, w.dilation_y, w.kernel_h);
  line.rows_wrapped = w.kernel_h - line.rows;
  if (w.kernel_h > 1) line.copy.rows = line.rows;
  const int8_t* const in = call.in - w.in.pixel_at(w.pad_x);
  line.upper = in + w.in.row_at(y0);
  if (line.rows_wrapped > 0) line.lower = in + w.in.row_at(y0 + line.rows * w.dilation_y);
}

// Gathers the rest of two windows of which the rows before the wrap are gathered.
N2D2_MVE_SHARED void mve_gather_wrapped(MveLine& line, ptrdiff_t from, int8_t* to) {
  line.copy.rows = line.rows_wrapped;
  mve_copy(to + line.rows * line.copy.to_row, line.lower + from, &line.copy);
  line.copy.rows = line.rows;
}

// Whether all pixels of the rows may be taken for those of one row.
N2D2_INLINE bool mve_is_flat(const ConvWindow& w) {
  return w.kernel_w == 1 && w.kernel_h == 1 && w.stride_x == 1 && w.stride_y == 1 && w.pad_x == 0 &&
         w.pad_y == 0 && w.in.ring == 0 && w.out.ring == 0 && w.in.w == w.out.w && w.out.h <= w.in.h &&
         w.in.row == w.in.w * w.in.pixel && w.out.row == w.out.w * w.out.pixel && !mve_has_borders(w);
}

// Computes output rows `rows` of a group in pairs of pixels, where a row's last pixel goes with the next
// row's first, or pixel by pixel.
N2D2_MVE_SHARED void mve_rows(const ConvWindow& w, Rows rows, const MveCall& call) {
  const int pixels = rows.count * w.out.w, width = mve_is_flat(w) ? pixels : w.out.w;
  const int last = (pixels - 1) / call.pixels * call.pixels, start = w.bottom_up ? last : 0;
  const int step = w.bottom_up ? -call.pixels : call.pixels;
  MveLine line;
  mve_start(line, w, call);
  if (width == pixels && width > w.out.w) line.columns = pixels - 1;
  int y = rows.first + start / width, x = start % width;
  mve_go_to(line, w, call, y);
  for (int at = start; at >= 0 && at < pixels; at += step) {
    if (x >= line.first && x < line.last) {
      const ptrdiff_t from = w.in.pixel_at(x * w.stride_x);
      mve_copy(call.windows, line.upper + from, &line.copy);
      if (line.rows_wrapped > 0) mve_gather_wrapped(line, from, call.windows);
      int8_t* const out = line.out + w.out.pixel_at(x);
      mve_outputs(call, call.windows, line.bias, out, out + w.out.pixel);
    } else {
      const int turns = width > w.out.w ? x / w.out.w : 0;
      mve_any_tile(w, call, y + turns, x - turns * w.out.w, call.pixels == 2 && at + 1 < pixels);
    }
    x += step;
    if (x >= 0 && x < width) continue;
    for (; x < 0; x += width) --y;
    for (; x >= width; x -= width) ++y;
    if (at + step >= 0 && at + step < pixels) mve_go_to(line, w, call, y);
  }
}

// Several groups: a row is finished before the next one begins.
N2D2_MVE_SHARED void mve_several_groups(const ConvWindow& w, Rows rows, MveCall& call) {
  const int padded = mve_padded(call.outputs), weights = padded * call.steps * kMveStep;
  for (int i = 0; i < rows.count; ++i) {
    const Rows row = {scan(w.bottom_up, i, rows), 1};
    for (int g = 0; g < w.groups; ++g) {
      mve_rows(w, row, call);
      call.in += call.c, call.out += call.outputs;
      call.weights += weights, call.bias += padded, call.factor += padded;
    }
    call.in -= w.groups * call.c, call.out -= w.groups * call.outputs;
    call.weights -= w.groups * weights, call.bias -= w.groups * padded, call.factor -= w.groups * padded;
  }
}

// Computes output rows `rows` of a convolution; there are some.
N2D2_MVE_SHARED void mve_conv(const ConvWindow& w, Rows rows, MveCall& call) {
  call.c = w.in.c / w.groups, call.outputs = w.out.c / w.groups;
  call.steps = mve_steps(w.kernel_h * w.kernel_w * call.c);
  if (w.groups == 1)
    mve_rows(w, rows, call);
  else
    mve_several_groups(w, rows, call);
}

template <class In, class Out, class Weight, class Factor>
N2D2_INLINE MveCall mve_call(const In* in, Out* out, const Weight* weights, const int32_t* bias,
                             const Factor* factor, void* scratch) {
  static_assert(sizeof(In) == 1 && sizeof(Out) == 1 && sizeof(Factor) == 4, "bytes, and factors of 32 bits");
  int8_t* const aligned = mve_scratch(scratch);
  const MveCall call = {reinterpret_cast<const int8_t*>(in),
                        reinterpret_cast<int8_t*>(out),
                        reinterpret_cast<const int8_t*>(weights),
                        bias,
                        reinterpret_cast<const int32_t*>(factor),
                        reinterpret_cast<int32_t*>(aligned),
                        aligned + kMveSumsBytes,
                        mve_ends<Factor, Out>(),
                        MveTilesOf<Weight>::get(),
                        static_cast<In>(-1) < static_cast<In>(1) ? 0 : 0x80,
                        0,
                        0,
                        0,
                        1};
  return call;
}

template <class C, class In, class Out, class Weight, class Factor>
N2D2_INLINE void conv2d_mve(const C& c, Rows rows, const In* in, Out* out, const Weight* weights,
                            const int32_t* bias, const Factor* factor, void* scratch) {
  if (rows.count < 1) return;
  const MveWindow<MveOfLayer, C> window(c);
  MveCall call = mve_call(in, out, weights, bias, factor, scratch);
  call.pixels = c.tile_pixels;
  mve_conv(window.get(), rows, call);
}

}  // namespace N2D2_EXPORT_NAMESPACE
