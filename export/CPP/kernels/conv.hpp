// Answers: what does a convolution layer compute, with groups, dilation and any planned buffer?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (ky, kx, c) of x * w); padding is zero.
// Config fields, besides those of plane.hpp (in_, out_, bottom_up) and rescale.hpp (lo, hi, shift,
// factor_step):
//   kernel_w, kernel_h       taps; >= 1
//   stride_x, stride_y       input pixels per output pixel; >= 1
//   dilation_x, dilation_y   input pixels from tap to tap; >= 1
//   pad_x, pad_y             zero pixels left and top; right and bottom follow from out_w, out_h
//   groups                   >= 1, divides in_c and out_c; groups of one channel are faster in conv_depthwise.hpp
//   parallel                 1: rows, or if they are ordered the pieces of a row, may run on several threads (needs
//                            OpenMP); 0: one thread
// Arrays: weights [out_c][kernel_h][kernel_w][in_c / groups], bias [out_c], factor [out_c] or [1] by
// factor_step. Stack: 4 * N2D2_PATCH_BYTES for windows, about 1.3 KiB of sums. Output must not overlap the
// input rows that this or a later output row reads. Where the order is
// free, all rows of a panel of outputs come before the next panel if the weights are large (kPanelBytes).
#pragma once

#include "dot.hpp"
#include "rescale.hpp"

// Bytes of one gathered window (of the 4 a tile works on); longer windows are worked through in pieces.
#ifndef N2D2_PATCH_BYTES
#define N2D2_PATCH_BYTES 1024
#endif

namespace N2D2_EXPORT_NAMESPACE {

enum { kOutputBlock = 64 };  // outputs summed up before they are rescaled together

template <class T>
N2D2_INLINE void copy_run(const T* src, int n, T* dst) {
  for (int i = 0; i < n; ++i) dst[i] = src[i];
}

template <class T>
N2D2_INLINE void zero_run(int n, T* dst) {
  for (int i = 0; i < n; ++i) dst[i] = 0;
}

// Gathers elements [first, first + n) of the flattened window (ky, kx, c) of output pixel (ox, oy); `in`
// already points to the group's first channel of pixel 0, group_c is the number of channels of a group.
template <class C, class In>
N2D2_INLINE void gather_piece(const C& c, const In* in, int oy, int ox, int group_c, int first, int n,
                              In* patch) {
  const Plane src = in_plane(c);
  int tap = first / group_c;
  int channel = first - tap * group_c;
  while (n > 0) {
    const int length = smaller(group_c - channel, n);
    const int y = oy * c.stride_y - c.pad_y + tap / c.kernel_w * c.dilation_y;
    const int x = ox * c.stride_x - c.pad_x + tap % c.kernel_w * c.dilation_x;
    if (y >= 0 && y < src.h && x >= 0 && x < src.w)
      copy_run(in + src.row_at(y) + src.pixel_at(x) + channel, length, patch);
    else
      zero_run(length, patch);
    patch += length, n -= length;
    channel = 0, ++tap;
  }
}

// Gathers the whole window; rows of the window that lie inside and are contiguous are copied at once.
template <class C, class In>
N2D2_INLINE void gather_window(const C& c, const In* in, int oy, int ox, int group_c, In* patch) {
  const Plane src = in_plane(c);
  const int x0 = ox * c.stride_x - c.pad_x;
  const bool inside = x0 >= 0 && x0 + (c.kernel_w - 1) * c.dilation_x < src.w;
  const bool contiguous = c.dilation_x == 1 && src.pixel == group_c;
  for (int ky = 0; ky < c.kernel_h; ++ky) {
    const int y = oy * c.stride_y - c.pad_y + ky * c.dilation_y;
    if (y < 0 || y >= src.h) {
      zero_run(c.kernel_w * group_c, patch);
      patch += c.kernel_w * group_c;
    } else if (inside && contiguous) {
      copy_run(in + src.row_at(y) + src.pixel_at(x0), c.kernel_w * group_c, patch);
      patch += c.kernel_w * group_c;
    } else {
      const In* row = in + src.row_at(y);
      for (int kx = 0; kx < c.kernel_w; ++kx) {
        const int x = x0 + kx * c.dilation_x;
        if (x >= 0 && x < src.w)
          copy_run(row + src.pixel_at(x), group_c, patch);
        else
          zero_run(group_c, patch);
        patch += group_c;
      }
    }
  }
}

// True if a window is a run of the input: 1x1, never outside.
template <class C>
N2D2_INLINE bool window_is_run(const C& c) {
  return c.kernel_w == 1 && c.kernel_h == 1 && c.pad_x == 0 && c.pad_y == 0 &&
         (c.out_w - 1) * c.stride_x < c.in_w && (c.out_h - 1) * c.stride_y < c.in_h;
}

// sums[p][n] += dot(x[p], weights of output n), outputs [0, count) in fours; the last four may repeat an
// output, whose sums land behind sums[p][count - 1].
template <int P, class In, class Weight, class Sum>
N2D2_INLINE void dot_block(const In* const* x, const Weight* weights, ptrdiff_t window, int count, int k,
                           Sum (*sums)[kOutputBlock + 4]) {
  for (int n = 0; n < count; n += 4) {
    const Weight* w[4];
    for (int i = 0; i < 4; ++i) w[i] = weights + smaller(n + i, count - 1) * window;
    if (P == 4)
      Dot<In, Weight, Sum>::tile_4x4(x, w, k, &sums[0][n], kOutputBlock + 4);
    else
      Dot<In, Weight, Sum>::tile_1x4(x[0], w, k, &sums[0][n]);
  }
}

// Outputs [first, first + count), count <= kOutputBlock, of one group for P pixels of row oy from ox on; a
// pixel beyond the row repeats the last one and is not stored.
template <int P, class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_piece(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                            const Factor* factor, int oy, int ox, int first, int count) {
  enum { kPatch = N2D2_PATCH_BYTES / sizeof(In) };
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  const int group_c = c.in_c / c.groups;
  const int window = c.kernel_h * c.kernel_w * group_c;
  const In* base = in + first / (c.out_c / c.groups) * group_c;
  const Weight* rows = weights + static_cast<ptrdiff_t>(first) * window;
  const In* x[P];
  Sum sums[P][kOutputBlock + 4];
  for (int p = 0; p < P; ++p)
    for (int n = 0; n < count; ++n) sums[p][n] = bias[first + n];
  for (int n = count; n < count + 3; ++n)
    for (int p = 0; p < P; ++p) sums[p][n] = 0;

  if (window_is_run(c)) {
    for (int p = 0; p < P; ++p)
      x[p] = base + src.row_at(oy * c.stride_y) + src.pixel_at(smaller(ox + p, c.out_w - 1) * c.stride_x);
    dot_block<P>(x, rows, window, count, window, sums);
  } else {
    alignas(64) In patch[P][kPatch];
    for (int p = 0; p < P; ++p) x[p] = patch[p];
    if (window <= kPatch) {
      for (int p = 0; p < P; ++p) gather_window(c, base, oy, smaller(ox + p, c.out_w - 1), group_c, patch[p]);
      dot_block<P>(x, rows, window, count, window, sums);
    } else {
      for (int k = 0; k < window; k += kPatch) {
        const int n = smaller(kPatch, window - k);
        for (int p = 0; p < P; ++p)
          gather_piece(c, base, oy, smaller(ox + p, c.out_w - 1), group_c, k, n, patch[p]);
        dot_block<P>(x, rows + k, window, count, n, sums);
      }
    }
  }
  for (int p = 0; p < P && ox + p < c.out_w; ++p)
    rescale_run(c, sums[p], factor + first * c.factor_step, count,
                out + dst.row_at(oy) + dst.pixel_at(ox + p) + first);
}

// How the work of a layer is cut: a panel is up to kOutputBlock outputs of one group; a tile is 4 pixels of a row (1
// in rows of one or two pixels).
struct ConvCut {
  int panels, tiles;
  bool panels_first;  // all rows of a panel before the next panel
};

template <class Weight, class C>
N2D2_INLINE ConvCut conv_cut(const C& c) {
  const int group_o = c.out_c / c.groups;
  const ptrdiff_t weights = static_cast<ptrdiff_t>(c.out_c) * c.kernel_h * c.kernel_w * (c.in_c / c.groups);
  const bool large = weights * static_cast<ptrdiff_t>(sizeof(Weight)) > kPanelBytes;
  const ConvCut cut = {c.groups * ((group_o + kOutputBlock - 1) / kOutputBlock),
                       c.out_w < 3 ? c.out_w : (c.out_w + 3) / 4, !c.ordered && large};
  return cut;
}

// Tile `tile` of a panel of outputs in row oy. The last four pixels of a row may be computed twice rather than
// be fewer.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void conv_tile(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                           const Factor* factor, int oy, int panel, int tile) {
  const int group_o = c.out_c / c.groups;
  const int blocks = (group_o + kOutputBlock - 1) / kOutputBlock;
  const int in_group = panel % blocks * kOutputBlock;
  const int first = panel / blocks * group_o + in_group;
  const int count = smaller(kOutputBlock, group_o - in_group);
  if (c.out_w < 3)
    conv_piece<1>(c, in, out, weights, bias, factor, oy, tile, first, count);
  else
    conv_piece<4>(c, in, out, weights, bias, factor, oy, smaller(tile * 4, c.out_w < 4 ? 0 : c.out_w - 4),
                  first, count);
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void conv2d(const C& c, Rows rows, const In* in, Out* out, const Weight* weights, const Sum* bias,
                        const Factor* factor) {
  const ConvCut cut = conv_cut<Weight>(c);
#if defined(_OPENMP)
  if (c.parallel) {
    // One parallel region for all rows if their order does not matter, else one a row.
    const int together = c.ordered ? 1 : rows.count;
    for (int r = 0; r < rows.count; r += together) {
#pragma omp parallel for schedule(static)
      for (int i = 0; i < together * cut.panels * cut.tiles; ++i) {
        const int step = i / cut.tiles;
        const int row = cut.panels_first ? step % rows.count : r + step / cut.panels;
        const int panel = cut.panels_first ? step / rows.count : step % cut.panels;
        conv_tile(c, in, out, weights, bias, factor, scan(c.bottom_up, row, rows), panel, i % cut.tiles);
      }
    }
    return;
  }
#endif
  const int outer = cut.panels_first ? cut.panels : rows.count;
  const int inner = cut.panels_first ? rows.count : cut.panels;
  for (int a = 0; a < outer; ++a)
    for (int b = 0; b < inner; ++b)
      for (int tile = 0; tile < cut.tiles; ++tile)
        conv_tile(c, in, out, weights, bias, factor, scan(c.bottom_up, cut.panels_first ? b : a, rows),
                  cut.panels_first ? a : b, tile);
}

}  // namespace N2D2_EXPORT_NAMESPACE
