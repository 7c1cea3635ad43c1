// Answers: how does a depthwise convolution compute on MVE instructions (Cortex-M55, M85), 16 channels at a
// time? Part of an exported project; may be used without condition.
//
// The bytes are those of conv_depthwise.hpp. Config fields are those of conv_depthwise.hpp; parallel,
// whole_rows, small_factors and factor_step are not read; and
//   piece_bytes   bytes of scratch for a piece of a row, kMveDepthwiseLeast to kMveDepthwiseBytes; fewer
//                 bytes cut a row into more pieces
// Served are out_c = in_c, kernel_h up to 3, kernel_w up to 4, stride_x 1 and 2, dilation_x up to
// kMveDilation; inputs and outputs have 8 bits, lo and hi are the bounds of the output's type, factors are
// floats, or int32_t with shift 32.
//
// A block is 16 channels. The last block begins at channel out_c - 16; fewer than 16 channels are one
// block, whose lane i is channel i % out_c. Eight channels whose pixels are contiguous are computed for two
// pixels at a time if stride_x is 1. Arrays (targets/cortexm/layouts/mve.hpp makes them) have the order of
// interleaved_mve.hpp:
//   weights  [blocks][4][4][16]: channel 4 * i + j of the block at [j][i], tap (ky, kx) at byte 4 * kx +
//     ky,
//            else 0
//   bias     [blocks][4][4]; for unsigned inputs with 128 * (sum of the weights) in each
//   factor   [blocks][4][4]
// Scratch, at any address: kMveScratchSpare and, for a piece of n units (mve_pieces), n sums and
// (n - 1) * stride + 3 * dilation_x + unit columns; piece_bytes are always enough. Stack: at most 512
// bytes, with its call tree.
#pragma once

#include "interleaved_mve.hpp"
#include "window_mve.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Scratch holds sums of the units that are computed at a time, and columns. The least serves a unit of any
// layer.
enum {
  kMveDilation = 4,
  kMveDepthwiseBytes = 35 * kMveColumn,
  kMveDepthwiseLeast = (3 * kMveDilation + 2) * kMveColumn
};

struct MveDepthwiseCall {
  const int8_t* in;
  int8_t* out;
  const int8_t* weights;
  const int32_t* bias;
  const int32_t* factor;  // or floats, which have the same size
  int8_t* scratch;
  void (*store)(const MveOutputs* to);
  int flip, piece_bytes;
};

// How a row is cut into pieces of up to `pixels` pixels. A unit is a column of 16 lanes: one pixel, or two
// of eight channels.
struct MvePieces {
  int unit;    // pixels of a unit
  int column;  // bytes of the column of a pixel
  int pixels;  // a multiple of unit
  int sums;    // bytes of scratch before the columns
};

N2D2_INLINE MvePieces mve_pieces(const ConvWindow& w, int bytes) {
  MvePieces pieces;
  pieces.unit = w.in.c == 8 && w.in.pixel == 8 && w.out.pixel == 8 && w.stride_x == 1 ? 2 : 1;
  pieces.column = kMveColumn / pieces.unit;
  // A piece of n units reads (n - 1) * stride + 3 * dilation_x + unit columns.
  const int stride = pieces.unit * w.stride_x;
  const int room = bytes - (3 * w.dilation_x + pieces.unit - stride) * pieces.column;
  const int most = pieces.unit * (room / (stride * pieces.column + kMveColumn));
  const int count = (w.out.w + most - 1) / most;
  const int units = ((w.out.w + count - 1) / count + pieces.unit - 1) / pieces.unit;
  pieces.pixels = units * pieces.unit, pieces.sums = units * kMveColumn;
  return pieces;
}

// What a piece reads, multiplies and stores, at the first block of channels.
struct MvePiece {
  MveColumns from;
  int8_t* to;  // where the columns within the map are in scratch
  MveWindows windows;
  MveOutputs outputs;
  int before, after;  // bytes of columns outside the map
  int odd_columns, odd_pixels;
};

// Sets the rows that output row y reads, at pixel 0: one zero where they are outside the map.
N2D2_MVE_SHARED void mve_rows_of(MveColumns& from, const ConvWindow& w, const int8_t* in, int y) {
  static const int8_t kZeros[kMveLanes] = {};
  for (int k = 0; k < 3; ++k) {
    const int iy = y * w.stride_y - w.pad_y + k * w.dilation_y;
    const bool inside = k < w.kernel_h && iy >= 0 && iy < w.in.h;
    from.row[k] = inside ? in + w.in.row_at(iy) : kZeros;
    from.step[k] = inside ? static_cast<int>(w.in.pixel) : 0;
  }
}

// Sets the piece of output pixels [x, x + pixels) of a row.
N2D2_MVE_SHARED void mve_set_piece(MvePiece& piece, const ConvWindow& w, const MveDepthwiseCall& call,
                                   const MvePieces& pieces, int x, int pixels) {
  int first = x * w.stride_x - w.pad_x,
      columns = (pixels - 1) * w.stride_x + (w.kernel_w - 1) * w.dilation_x + 1;
  const int left = first < 0 ? smaller(-first, columns) : 0;
  first += left, columns -= left;
  const int right = first + columns > w.in.w ? smaller(first + columns - w.in.w, columns) : 0;
  columns -= right;
  // A unit may read the pixel behind it, if there is one.
  if (columns % pieces.unit != 0 && first + columns < w.in.w) ++columns;
  piece.before = left * pieces.column, piece.after = right * pieces.column;
  for (int k = 0; k < 3; ++k) {
    piece.from.row[k] += first * piece.from.step[k];
    piece.from.step[k] *= pieces.unit;
  }
  piece.from.columns = columns / pieces.unit, piece.odd_columns = columns % pieces.unit;
  piece.from.lanes = smaller(kMveLanes, pieces.unit * w.in.c), piece.from.flip = call.flip;
  int8_t* const at = call.scratch + pieces.sums;
  piece.to = at + piece.before;
  const int units = (pixels + pieces.unit - 1) / pieces.unit;
  const MveWindows windows = {
      at,   pieces.column * w.dilation_x, call.weights, call.bias, reinterpret_cast<int32_t*>(call.scratch),
      units};
  const MveOutputs outputs = {windows.sums,     call.factor,
                              call.out,         pixels / pieces.unit,
                              piece.from.lanes, static_cast<int>(pieces.unit * w.out.pixel)};
  piece.windows = windows, piece.outputs = outputs, piece.odd_pixels = pixels % pieces.unit;
}

// Moves a piece to the block that begins `channels` channels later.
N2D2_INLINE void mve_next_block(MvePiece& piece, int channels) {
  for (int k = 0; k < 3; ++k)
    if (piece.from.step[k] != 0) piece.from.row[k] += channels;
  piece.windows.weights += 16 * kMveLanes, piece.windows.bias += kMveLanes;
  piece.outputs.factor = static_cast<const int32_t*>(piece.outputs.factor) + kMveLanes;
  piece.outputs.out = static_cast<int8_t*>(piece.outputs.out) + channels;
}

// The last pixel of a row whose pixels are taken in pairs.
N2D2_MVE_SHARED void mve_odd_column(const MvePiece& piece) {
  MveColumns last = piece.from;
  for (int k = 0; k < 3; ++k) last.row[k] += last.columns * last.step[k];
  last.columns = 1, last.lanes = kMveLanes / 2;
  mve_interleave(piece.to + piece.from.columns * kMveColumn, &last);
}
N2D2_MVE_SHARED void mve_odd_pixel(const MvePiece& piece, const MveDepthwiseCall& call) {
  MveOutputs last = piece.outputs;
  last.sums += last.pixels * kMveLanes;
  last.out = static_cast<int8_t*>(last.out) + last.pixels * last.step;
  last.pixels = 1, last.lanes = kMveLanes / 2;
  call.store(&last);
}

// Fills the columns outside the map, which stay as they are for all blocks of channels.
N2D2_MVE_SHARED void mve_fill_outside(const MvePiece& piece, int unit_bytes, int column) {
  const int inside = piece.from.columns * unit_bytes + piece.odd_columns * column;
  if (piece.before > 0) mve_fill(piece.to - piece.before, piece.before, piece.from.flip);
  if (piece.after > 0) mve_fill(piece.to + inside, piece.after, piece.from.flip);
}

N2D2_MVE_SHARED void mve_depthwise(const ConvWindow& w, Rows rows, const MveDepthwiseCall& call) {
  const MvePieces pieces = mve_pieces(w, call.piece_bytes);
  void (*const sums)(const MveWindows*) = w.stride_x == 1 ? mve_sums_64 : mve_sums_128;
  MvePiece piece;
  for (int i = 0; i < rows.count; ++i) {
    const int y = scan(w.bottom_up, i, rows);
    for (int x = 0; x < w.out.w; x += pieces.pixels) {
      mve_rows_of(piece.from, w, call.in, y);
      mve_set_piece(piece, w, call, pieces, x, smaller(pieces.pixels, w.out.w - x));
      piece.outputs.out = call.out + w.out.row_at(y) + w.out.pixel_at(x);
      for (int left = w.out.c, step = 0;; mve_next_block(piece, step)) {
        if (piece.from.columns > 0) mve_interleave(piece.to, &piece.from);
        if (piece.odd_columns > 0) mve_odd_column(piece);
        // Units of two pixels may have written beyond the map; they are one block.
        if (left == w.out.c) mve_fill_outside(piece, kMveColumn, pieces.column);
        sums(&piece.windows);
        if (piece.outputs.pixels > 0) call.store(&piece.outputs);
        if (piece.odd_pixels > 0) mve_odd_pixel(piece, call);
        left -= kMveLanes;
        if (left <= 0) break;
        step = smaller(kMveLanes, left);
      }
    }
  }
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void depthwise_mve(const C& c, Rows rows, const In* in, Out* out, const int8_t* weights,
                               const int32_t* bias, const Factor* factor, void* scratch) {
  static_assert(sizeof(In) == 1 && sizeof(Out) == 1 && sizeof(Factor) == 4, "bytes, and factors of 32 bits");
  if (rows.count < 1) return;
  const MveWindow<MveOfChannels, C> window(c);
  const MveDepthwiseCall call = {reinterpret_cast<const int8_t*>(in),
                                 reinterpret_cast<int8_t*>(out),
                                 weights,
                                 bias,
                                 reinterpret_cast<const int32_t*>(factor),
                                 mve_scratch(scratch),
                                 MveStored<Factor, Out>::run,
                                 static_cast<In>(-1) < static_cast<In>(1) ? 0 : 0x80,
                                 c.piece_bytes};
  mve_depthwise(window.get(), rows, call);
}

}  // namespace N2D2_EXPORT_NAMESPACE
