// Answers: what does a depthwise convolution (one input channel per group) compute?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (ky, kx) of x[o / multiplier] * w), multiplier = out_c / in_c; padding is
// zero. Config fields: those of conv.hpp without `groups`; out_c must be a multiple of in_c. Arrays: weights
// [kernel_h][kernel_w][out_c] (taps outermost, unlike conv.hpp), bias [out_c], factor [out_c] or [1] by
// factor_step. Overlap of output and input as in conv.hpp.
#pragma once

#include "dot.hpp"
#include "rescale.hpp"
#include "taps.hpp"

#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(N2D2_PORTABLE)
#include "depthwise_avx512.hpp"
#define N2D2_DEPTHWISE_AVX512
#endif

namespace N2D2_EXPORT_NAMESPACE {

// Adds T taps of a block of n outputs to sums; output n of the block reads channel (phase + n) / multiplier
// of x.
template <int T, class In, class Weight, class Sum>
struct DepthwiseTaps {
  Sum* sums;
  const Weight* weights;
  int out_c, n, multiplier, phase;

  N2D2_INLINE void operator()(const In* const x[T], const int tap[T], int valid) const {
    if (valid == 0) return;
    const Weight* w[T];
    for (int t = 0; t < T; ++t) w[t] = weights + static_cast<ptrdiff_t>(tap[t]) * out_c;
    if (multiplier == 1) {
      for (int i = 0; i < n; ++i) {
        Sum s = sums[i];
        for (int t = 0; t < T; ++t) s += Dot<In, Weight, Sum>::mul(x[t][i], w[t][i]);
        sums[i] = s;
      }
    } else {
      for (int i = 0; i < n; ++i) {
        Sum s = sums[i];
        const int channel = (phase + i) / multiplier;
        for (int t = 0; t < T; ++t) s += Dot<In, Weight, Sum>::mul(x[t][channel], w[t][i]);
        sums[i] = s;
      }
    }
  }
};

// Outputs [first, first + n), n <= kChannelBlock, of output pixel (ox, oy).
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void depthwise_piece(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                                 const Factor* factor, int oy, int ox, int first, int n) {
  static const In zeros[kChannelBlock] = {};
  const Plane dst = out_plane(c);
  const int multiplier = c.out_c / c.in_c;
  const In* block = in + first / multiplier;
  Sum sums[kChannelBlock];
  for (int i = 0; i < n; ++i) sums[i] = bias[first + i];
  const int y0 = oy * c.stride_y - c.pad_y;
  const int x0 = ox * c.stride_x - c.pad_x;
  if (c.kernel_w * c.kernel_h <= 3) {
    const DepthwiseTaps<3, In, Weight, Sum> use = {sums, weights + first, c.out_c,
                                                   n,    multiplier,      first % multiplier};
    for_taps<3>(in_plane(c), c.kernel_w, c.kernel_h, c.dilation_x, c.dilation_y, y0, x0, block, zeros, use);
  } else {
    const DepthwiseTaps<9, In, Weight, Sum> use = {sums, weights + first, c.out_c,
                                                   n,    multiplier,      first % multiplier};
    for_taps<9>(in_plane(c), c.kernel_w, c.kernel_h, c.dilation_x, c.dilation_y, y0, x0, block, zeros, use);
  }
  rescale_run(c, sums, factor + first * c.factor_step, n, out + dst.row_at(oy) + dst.pixel_at(ox) + first);
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void depthwise_pixel(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                                 const Factor* factor, int oy, int ox) {
  for (int first = 0; first < c.out_c; first += kChannelBlock)
    depthwise_piece(c, in, out, weights, bias, factor, oy, ox, first,
                    smaller(kChannelBlock, c.out_c - first));
}

// Row oy in a special form if there is one for these types and this layer; false if not.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE bool depthwise_special(const C&, const In*, Out*, const Weight*, const Sum*, const Factor*, int) {
  return false;
}
#if defined(N2D2_DEPTHWISE_AVX512)
template <class C, class In, class Out>
N2D2_INLINE bool depthwise_special(const C& c, const In* in, Out* out, const int8_t* weights,
                                   const int32_t* bias, const float* factor, int oy) {
  if (!depthwise_fits(c)) return false;
  depthwise_row(c, in, out, weights, bias, factor, oy);
  return true;
}
#endif

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void depthwise_line(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                                const Factor* factor, int oy) {
  if (depthwise_special(c, in, out, weights, bias, factor, oy)) return;
  for (int ox = 0; ox < c.out_w; ++ox) depthwise_pixel(c, in, out, weights, bias, factor, oy, ox);
}

// Ordered rows keep to one thread.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void conv2d_depthwise(const C& c, Rows rows, const In* in, Out* out, const Weight* weights,
                                  const Sum* bias, const Factor* factor) {
#if defined(_OPENMP)
  if (c.parallel && !c.ordered) {
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows.count; ++r) depthwise_line(c, in, out, weights, bias, factor, rows.first + r);
    return;
  }
#endif
  for (int r = 0; r < rows.count; ++r)
    depthwise_line(c, in, out, weights, bias, factor, scan(c.bottom_up, r, rows));
}

}  // namespace N2D2_EXPORT_NAMESPACE
