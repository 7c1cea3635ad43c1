// Answers: what do a max pool and an average pool compute?
// Part of an exported project; may be used without condition.
//
// Max pool: y = clamp(max over the window). Taps outside the input do not count, or count as zeros; a window
// without any tap is 0. Average pool: y = rescale(sum over the window, factor[0]); taps outside count as
// zeros (or pad_value), so the factor holds the division by pool_w * pool_h. In a float network the sum is
// divided by pool_w * pool_h and clamped. With by_count the taps that count are divided by: those on the map
// and on so many pixels around it; factor[n - 1] holds the division by n, n <= pool_w * pool_h.
// Config fields, besides those of plane.hpp (in_, out_, bottom_up; out_c = in_c) and rescale.hpp (max pool:
// lo, hi; average pool: lo, hi, shift, factor_step = 0):
//   pool_w, pool_h        taps; >= 1
//   stride_x, stride_y    input pixels per output pixel; >= 1
//   pad_x, pad_y          pixels outside, left and top; right and bottom follow from out_w, out_h
//   count_zeros           max pool only. 1: taps outside the input are zeros; 0: they do not count
//   by_count              average pool only. 1: factors by count, as above
//   start                 average pool only: what sums start from, int; a config without it has 0
//   pad_value             average pool without by_count only: what taps outside are, an integer; a config
//                         without it has 0
//   counted_x, counted_y  pixels outside, left and top, that count; read where by_count is 1
//   counted_w, counted_h  pixels that count along each axis, those of the map and those outside; as above
//   parallel              1: rows may run on several threads if they are not ordered (needs OpenMP); 0: one
//                         thread
// average_pool_sums is the first half of an average_pool whose window is the map, without padding, of 8 bits:
// it adds each row of the map to the running sums of its channels; requantize.hpp makes the output of the
// last of them, to the same bytes. Its output row y is row y - 1 of it and row y of the map; all of its rows
// may lie at one place (out_ring = 1, out_turn = out_row), which then is what is kept between two calls. Rows
// come top-down, each once. It reads the fields of plane.hpp (out_w = 1, out_h = in_h) and start alone.
// Output must not overlap the input rows that this or a later output row reads.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "rescale.hpp"
#include "taps.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kPoolTaps = 4 };  // taps compared or added together

// Channels worked on together, for values of type T.
template <class T>
struct PoolBlock {
  enum { kSize = N2D2_VECTOR == 32 || kBlockBytes / sizeof(T) > 64 ? 64 : kBlockBytes / sizeof(T) };
};

// Keeps the larger of best and the taps, for n channels from `first` on.
template <class In>
struct MaxTaps {
  In* best;
  int first, n;

  N2D2_INLINE void operator()(const TapGroup<kPoolTaps, In>& group) const {
    for (int i = 0; i < n; ++i) {
      In m = best[i];
      for (int t = 0; t < kPoolTaps; ++t) {
        const In x = group.x[t][first + i];
        m = x > m ? x : m;
      }
      best[i] = m;
    }
  }
};

// Adds the taps, for n channels from `first` on.
template <class In, class Sum>
struct SumTaps {
  Sum* sums;
  int first, n;

  N2D2_INLINE void operator()(const TapGroup<kPoolTaps, In>& group) const {
    if (group.count == kPoolTaps) {
      for (int i = 0; i < n; ++i) {
        Sum s = sums[i];
        for (int t = 0; t < kPoolTaps; ++t) s += static_cast<Sum>(group.x[t][first + i]);
        sums[i] = s;
      }
    } else {
      for (int t = 0; t < group.count; ++t)
        for (int i = 0; i < n; ++i) sums[i] += static_cast<Sum>(group.x[t][first + i]);
    }
  }
};

// Compute the maximum of all channels of a pixel, or of a row of pixels, and the sums of some channels of a
// pixel, in forms of their own; a variant (`pool` in kernels.list) specialises them. `zeros`: a zero counts,
// too.
template <class In, class Out>
struct MaxForm {
  enum { kThere = 0 };
  template <class C>
  static N2D2_INLINE bool fits(const C&) {
    return false;
  }
  static N2D2_INLINE void pixel(const Plane&, const Window&, bool, const In*, Out*) {}
};
template <class In, class Out>
struct MaxRow {
  enum { kThere = 0 };
  template <class C>
  static N2D2_INLINE bool fits(const C&) {
    return false;
  }
  template <class C>
  static N2D2_INLINE void run(const C&, const In*, Out*, int) {}
};
template <class In, class Sum>
struct AverageForm {
  enum { kThere = 0 };
  static N2D2_INLINE void sums(const Plane&, const Window&, const In*, int, int, Sum*) {}
};

// Channels [first, first + n) of one pixel; its window lies partly inside of the input.
template <class C, class In, class Out>
N2D2_INLINE void max_pool_block(const C& c, const Window& window, const In* in, Out* out, int first, int n) {
  const Plane src = in_plane(c);
  const bool zeros = c.count_zeros && !window.whole(c.pool_h);
  const In* x =
      in + src.row_at(window.y0 + window.y.first) + src.pixel_at(window.x0 + window.x.first) + first;
  In best[PoolBlock<In>::kSize];
  for (int i = 0; i < n; ++i) best[i] = zeros && x[i] < 0 ? static_cast<In>(0) : x[i];
  const MaxTaps<In> use = {best, first, n};
  for_taps<kPoolTaps>(src, window, in, use);
  for (int i = 0; i < n; ++i)
    out[first + i] = clamp_to<Out>(c, static_cast<typename SumOf<In>::type>(best[i]));
}

template <class C, class In, class Out>
N2D2_INLINE void max_pool_pixel(const C& c, const In* in, Out* out, int oy, int ox) {
  enum { kBlock = PoolBlock<In>::kSize };
  const Plane dst = out_plane(c);
  const Window window = window_at(c, c.pool_w, c.pool_h, 1, 1, oy, ox);
  Out* to = out + dst.row_at(oy) + dst.pixel_at(ox);
  if (window.taps() == 0) {
    for (int i = 0; i < c.in_c; ++i) to[i] = clamp_to<Out>(c, static_cast<typename SumOf<In>::type>(0));
    return;
  }
  typedef MaxForm<In, Out> Form;
  if (Form::kThere && Form::fits(c))
    return Form::pixel(in_plane(c), window, c.count_zeros && !window.whole(c.pool_h), in, to);
  const int whole = c.in_c / kBlock * kBlock;
  for (int first = 0; first < whole; first += kBlock) max_pool_block(c, window, in, to, first, kBlock);
  if (whole < c.in_c) max_pool_block(c, window, in, to, whole, c.in_c - whole);
}

// Integer sums are rescaled; a float sum is divided by the window.
template <class C, class Sum, class Factor, class Out>
N2D2_INLINE void average_run(const C& c, Sum* sums, const Factor* factor, int taps, int n, Out* out) {
  rescale_run(c, sums, factor + (c.by_count ? taps - 1 : 0), n, out);
}
template <class C, class Factor, class Out>
N2D2_INLINE void average_run(const C& c, float* sums, const Factor*, int taps, int n, Out* out) {
  const float area = static_cast<float>(taps);
  for (int i = 0; i < n; ++i) out[i] = clamp_to<Out>(c, sums[i] / area);
}

// Taps from `start` on that lie within [first, first + size).
N2D2_INLINE int taps_within(int start, int taps, int first, int size) {
  const int before = start < first ? first : start;
  return smaller(start + taps, first + size) - before;
}

// What the sum of a window is divided by.
template <class C>
N2D2_INLINE int counted_taps(const C& c, const Window& window) {
  if (!c.by_count) return c.pool_w * c.pool_h;
  return taps_within(window.x0, c.pool_w, -c.counted_x, c.counted_w) *
         taps_within(window.y0, c.pool_h, -c.counted_y, c.counted_h);
}

// Channels [first, first + n) of one pixel.
template <class C, class In, class Out, class Factor>
N2D2_INLINE void average_pool_block(const C& c, const Window& window, const In* in, Out* out,
                                    const Factor* factor, int first, int n) {
  typedef typename SumOf<In>::type Sum;
  typedef AverageForm<In, Sum> Form;
  Sum sums[PoolBlock<Sum>::kSize];
  if (Form::kThere) {
    Form::sums(in_plane(c), window, in, first, n, sums);
    add_start(c, sums, n);
  } else {
    for (int i = 0; i < n; ++i) sums[i] = static_cast<Sum>(start_of(c));
    const SumTaps<In, Sum> use = {sums, first, n};
    if (window.taps() > 0) for_taps<kPoolTaps>(in_plane(c), window, in, use);
  }
  if (pad_value(c) != 0) {
    const Sum outside = static_cast<Sum>(pad_value(c) * (c.pool_w * c.pool_h - window.taps()));
    for (int i = 0; i < n; ++i) sums[i] += outside;
  }
  average_run(c, sums, factor, counted_taps(c, window), n, out + first);
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void average_pool_pixel(const C& c, const In* in, Out* out, const Factor* factor, int oy,
                                    int ox) {
  enum { kBlock = PoolBlock<typename SumOf<In>::type>::kSize };
  const Plane dst = out_plane(c);
  const Window window = window_at(c, c.pool_w, c.pool_h, 1, 1, oy, ox);
  Out* to = out + dst.row_at(oy) + dst.pixel_at(ox);
  const int whole = c.in_c / kBlock * kBlock;
  for (int first = 0; first < whole; first += kBlock)
    average_pool_block(c, window, in, to, factor, first, kBlock);
  if (whole < c.in_c) average_pool_block(c, window, in, to, factor, whole, c.in_c - whole);
}

template <class C, class In, class Out>
N2D2_INLINE void max_pool_line(const C& c, const In* in, Out* out, int oy) {
  typedef MaxRow<In, Out> Form;
  if (Form::kThere && Form::fits(c)) return Form::run(c, in, out, oy);
  for (int ox = 0; ox < c.out_w; ++ox) max_pool_pixel(c, in, out, oy, ox);
}

template <class C, class In, class Out, class Factor>
N2D2_INLINE void average_pool_line(const C& c, const In* in, Out* out, const Factor* factor, int oy) {
  for (int ox = 0; ox < c.out_w; ++ox) average_pool_pixel(c, in, out, factor, oy, ox);
}

template <class C, class In, class Out>
N2D2_INLINE void max_pool(const C& c, Rows rows, const In* in, Out* out) {
#if defined(_OPENMP)
  if (has_threads(c) && !c.ordered) {
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
  if (has_threads(c) && !c.ordered) {
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows.count; ++r) average_pool_line(c, in, out, factor, rows.first + r);
    return;
  }
#endif
  for (int r = 0; r < rows.count; ++r) average_pool_line(c, in, out, factor, scan(c.bottom_up, r, rows));
}

template <class C, class In>
N2D2_INLINE void average_pool_sums(const C& c, Rows rows, const In* in, int32_t* out) {
  const Plane src = in_plane(c), dst = out_plane(c);
  for (int y = rows.first; y < rows.first + rows.count; ++y) {
    int32_t* to = out + dst.row_at(y);
    const int32_t* before = out + dst.row_at(y == 0 ? 0 : y - 1);
    for (int i = 0; i < c.in_c; ++i) to[i] = y == 0 ? static_cast<int32_t>(start_of(c)) : before[i];
    for (int x = 0; x < c.in_w; ++x) {
      const In* pixel = in + src.row_at(y) + src.pixel_at(x);
      N2D2_LOOP
      for (int i = 0; i < c.in_c; ++i) to[i] += pixel[i];
    }
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE

#include "pool_variants.hpp"
