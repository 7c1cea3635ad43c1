// Answers: what do a max pool and an average pool compute?
// Part of an exported project; may be used without condition.
//
// Max pool: y = clamp(max over the window). Taps outside the input do not count, or count as zeros; a window
// without any tap is 0. Average pool: y = rescale(sum over the window, factor[0]); taps outside count as
// zeros, so the factor holds the division by pool_w * pool_h. In a float network the sum is divided by pool_w
// * pool_h and clamped. Config fields, besides those of plane.hpp (in_, out_, bottom_up; out_c = in_c) and
// rescale.hpp (max pool: lo, hi; average pool: lo, hi, shift, factor_step = 0):
//   pool_w, pool_h        taps; >= 1
//   stride_x, stride_y    input pixels per output pixel; >= 1
//   pad_x, pad_y          pixels outside, left and top; right and bottom follow from out_w, out_h
//   count_zeros           max pool only. 1: taps outside the input are zeros; 0: they do not count
//   parallel              1: rows may run on several threads if they are not ordered (needs OpenMP); 0: one thread
// Output must not overlap the input rows that this or a later output row reads.
#pragma once

#include "rescale.hpp"
#include "taps.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Keeps the larger of best and T taps, for a block of n channels.
template <int T, class In>
struct MaxTaps {
  In* best;
  int n;

  N2D2_INLINE void operator()(const In* const x[T], const int*, int valid) const {
    if (valid == 0) return;
    for (int i = 0; i < n; ++i) {
      In m = best[i];
      for (int t = 0; t < T; ++t) m = x[t][i] > m ? x[t][i] : m;
      best[i] = m;
    }
  }
};

// Adds T taps, for a block of n channels.
template <int T, class In, class Sum>
struct SumTaps {
  Sum* sums;
  int n;

  N2D2_INLINE void operator()(const In* const x[T], const int*, int valid) const {
    if (valid == 0) return;
    for (int i = 0; i < n; ++i) {
      Sum s = sums[i];
      for (int t = 0; t < T; ++t) s += static_cast<Sum>(x[t][i]);
      sums[i] = s;
    }
  }
};

template <class C, class In, class Out>
N2D2_INLINE void max_pool_pixel(const C& c, const In* in, Out* out, int oy, int ox) {
  static const In zeros[kChannelBlock] = {};
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  const int y0 = oy * c.stride_y - c.pad_y;
  const int x0 = ox * c.stride_x - c.pad_x;
  const bool any = y0 < src.h && x0 < src.w && y0 + c.pool_h > 0 && x0 + c.pool_w > 0;
  const ptrdiff_t start = any ? src.row_at(y0 < 0 ? 0 : y0) + src.pixel_at(x0 < 0 ? 0 : x0) : 0;
  const bool all = y0 >= 0 && x0 >= 0 && y0 + c.pool_h <= src.h && x0 + c.pool_w <= src.w;
  for (int first = 0; first < src.c; first += kChannelBlock) {
    const int n = smaller(kChannelBlock, src.c - first);
    // A tap outside repeats one inside, unless it is a zero.
    const In* inside = any ? in + start + first : zeros;
    const In* substitute = c.count_zeros && !all ? zeros : inside;
    In best[kChannelBlock];
    for (int i = 0; i < n; ++i) best[i] = inside[i];
    const MaxTaps<4, In> use = {best, n};
    if (any) for_taps<4>(src, c.pool_w, c.pool_h, 1, 1, y0, x0, in + first, substitute, use);
    if (c.count_zeros && !all)
      for (int i = 0; i < n; ++i) best[i] = best[i] > 0 ? best[i] : static_cast<In>(0);
    Out* to = out + dst.row_at(oy) + dst.pixel_at(ox) + first;
    for (int i = 0; i < n; ++i) to[i] = clamp_to<Out>(c, static_cast<typename SumOf<In>::type>(best[i]));
  }
}

// Integer sums are rescaled; a float sum is divided by the window.
template <class C, class Sum, class Factor, class Out>
N2D2_INLINE void average_run(const C& c, const Sum* sums, const Factor* factor, int n, Out* out) {
  rescale_run(c, sums, factor, n, out);
}
template <class C, class Factor, class Out>
N2D2_INLINE void average_run(const C& c, const float* sums, const Factor*, int n, Out* out) {
  const float area = static_cast<float>(c.pool_w * c.pool_h);
  for (int i = 0; i < n; ++i) out[i] = clamp_to<Out>(c, sums[i] / area);
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void average_pool_pixel(const C& c, const In* in, Out* out, const Factor* factor, int oy,
                                    int ox) {
  typedef typename SumOf<In>::type Sum;
  static const In zeros[kChannelBlock] = {};
  const Plane dst = out_plane(c);
  for (int first = 0; first < c.in_c; first += kChannelBlock) {
    const int n = smaller(kChannelBlock, c.in_c - first);
    Sum sums[kChannelBlock];
    for (int i = 0; i < n; ++i) sums[i] = 0;
    const SumTaps<4, In, Sum> use = {sums, n};
    for_taps<4>(in_plane(c), c.pool_w, c.pool_h, 1, 1, oy * c.stride_y - c.pad_y, ox * c.stride_x - c.pad_x,
                in + first, zeros, use);
    average_run(c, sums, factor, n, out + dst.row_at(oy) + dst.pixel_at(ox) + first);
  }
}

template <class C, class In, class Out>
N2D2_INLINE void max_pool_line(const C& c, const In* in, Out* out, int oy) {
  for (int ox = 0; ox < c.out_w; ++ox) max_pool_pixel(c, in, out, oy, ox);
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void average_pool_line(const C& c, const In* in, Out* out, const Factor* factor, int oy) {
  for (int ox = 0; ox < c.out_w; ++ox) average_pool_pixel(c, in, out, factor, oy, ox);
}

template <class C, class In, class Out>
N2D2_INLINE void max_pool(const C& c, Rows rows, const In* in, Out* out) {
#if defined(_OPENMP)
  if (c.parallel && !c.ordered) {
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows.count; ++r) max_pool_line(c, in, out, rows.first + r);
    return;
  }
#endif
  for (int r = 0; r < rows.count; ++r) max_pool_line(c, in, out, scan(c.bottom_up, r, rows));
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void average_pool(const C& c, Rows rows, const In* in, Out* out, const Factor* factor) {
#if defined(_OPENMP)
  if (c.parallel && !c.ordered) {
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows.count; ++r) average_pool_line(c, in, out, factor, rows.first + r);
    return;
  }
#endif
  for (int r = 0; r < rows.count; ++r) average_pool_line(c, in, out, factor, scan(c.bottom_up, r, rows));
}

}  // namespace N2D2_EXPORT_NAMESPACE
