// Answers: what does a depthwise convolution (one input channel per group) compute?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (ky, kx) of x[o / multiplier] * w), multiplier = out_c / in_c. Config
// fields: those of conv.hpp but groups, borders and packed weights; out_c is a multiple of in_c; and
//   whole_rows               1: a form may compute whole rows where there is one (DepthwiseRow); 0: pixels
//   pad_value                x outside the map, an integer of the input; a config without it has 0
// Arrays are weights
// [kernel_h][kernel_w][out_c] (taps outermost, unlike conv.hpp), bias [out_c], factor [out_c] or [1] by
// factor_step. The output may overlap the input as in conv.hpp.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "dot.hpp"
#include "rescale.hpp"
#include "row_groups.hpp"
#include "taps.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kDepthwiseTaps = 9 };  // number of taps that are added together

// Adds the products of the taps outside the map to the sums of n channels from `first` on.
template <class C, class Weight, class Sum>
N2D2_INLINE void add_padding(const C& c, const Window& window, const Weight* weights, int first, int n,
                             Sum* sums) {
  if (pad_value(c) == 0 || window.whole(c.kernel_h)) return;
  for (int ky = 0; ky < c.kernel_h; ++ky)
    for (int kx = 0; kx < c.kernel_w; ++kx) {
      if (ky >= window.y.first && ky < window.y.end && kx >= window.x.first && kx < window.x.end) continue;
      const Weight* w = weights + static_cast<ptrdiff_t>(ky * c.kernel_w + kx) * c.out_c + first;
      for (int i = 0; i < n; ++i) sums[i] += static_cast<Sum>(pad_value(c)) * static_cast<Sum>(w[i]);
    }
}

// Adds the taps of a group to the sums of kBlock channels from `first` on; the multiplier is 1. `whole`: tap
// t is tap t of the window. kBlock is 0 where no form serves the types.
template <class In, class Weight, class Sum>
struct DepthwiseBlock {
  enum { kBlock = 0 };
  static N2D2_INLINE const char* name() { return "depthwise_plain"; }
  template <bool whole, int T>
  static N2D2_INLINE void add(const TapGroup<T, In>&, const Weight*, int, int, Sum*) {}
};

template <class In, class Weight, class Sum>
struct DepthwiseForm {
  enum {
    kOwn = DepthwiseBlock<In, Weight, Sum>::kBlock,
    kPlain = kBlockBytes / 2 / sizeof(Sum),
    kBlock = +kOwn > 0 ? +kOwn : +kPlain,  // number of channels that are computed together
    // Number of taps of any window that are added together.
    kTaps = +kOwn > 0           ? +kDepthwiseTaps
            : N2D2_VECTOR == 32 ? 3
                                : 2
  };
};

// Adds all T taps of the group to n outputs from `first` on, in plain loops; the multiplier is 1.
template <bool whole, int T, class In, class Weight, class Sum>
N2D2_INLINE void add_taps(const TapGroup<T, In>& group, const Weight* weights, int out_c, int first, int n,
                          Sum* sums) {
  for (int i = 0; i < n; ++i) {
    Sum s = sums[i];
    for (int t = 0; t < T; ++t)
      s += Dot<In, Weight, Sum>::mul(
          group.x[t][first + i],
          weights[static_cast<ptrdiff_t>(whole ? t : group.tap[t]) * out_c + first + i]);
    sums[i] = s;
  }
}

// Adds tap after tap in plain loops, for any multiplier.
template <int T, class In, class Weight, class Sum>
N2D2_INLINE void add_some_taps(const TapGroup<T, In>& group, const Weight* weights, int out_c, int multiplier,
                               int first, int n, Sum* sums) {
  for (int t = 0; t < group.count; ++t) {
    const In* x = group.x[t];
    const Weight* w = weights + static_cast<ptrdiff_t>(group.tap[t]) * out_c + first;
    if (multiplier == 1)
      for (int i = 0; i < n; ++i) sums[i] += Dot<In, Weight, Sum>::mul(x[first + i], w[i]);
    else
      for (int i = 0; i < n; ++i) sums[i] += Dot<In, Weight, Sum>::mul(x[(first + i) / multiplier], w[i]);
  }
}

template <bool whole, int T, class In, class Weight, class Sum>
struct DepthwiseTaps {
  Sum* sums;
  const Weight* weights;
  int out_c, multiplier, first, n;

  N2D2_INLINE void operator()(const TapGroup<T, In>& group) const {
    if (multiplier == 1 && n == DepthwiseBlock<In, Weight, Sum>::kBlock)
      DepthwiseBlock<In, Weight, Sum>::template add<whole>(group, weights, out_c, first, sums);
    else if (multiplier == 1 && group.count == T)
      add_taps<whole>(group, weights, out_c, first, n, sums);
    else
      add_some_taps(group, weights, out_c, multiplier, first, n, sums);
  }
};

// Calls use(first, n) for the blocks of channels of a pixel. The last block contains some earlier channels
// again where a form needs a full block.
template <int kBlock, bool own, class Use>
N2D2_INLINE void for_channels(int c, const Use& use) {
  const int whole = c / kBlock * kBlock;
  for (int first = 0; first < whole; first += kBlock) use(first, static_cast<int>(kBlock));
  if (whole == c) return;
  if (own && whole > 0)
    use(c - kBlock, static_cast<int>(kBlock));
  else
    use(whole, c - whole);
}

// Computes the blocks of a pixel whose window is whole and one group of taps.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
struct DepthwiseWhole {
  const C& c;
  const TapGroup<kDepthwiseTaps, In>& group;
  Out* out;
  const Weight* weights;
  const Sum* bias;
  const Factor* factor;

  N2D2_INLINE void operator()(int first, int n) const {
    Sum sums[DepthwiseForm<In, Weight, Sum>::kBlock];
    for (int i = 0; i < n; ++i) sums[i] = bias[first + i];
    const DepthwiseTaps<true, kDepthwiseTaps, In, Weight, Sum> use = {sums, weights, c.out_c, 1, first, n};
    use(group);
    rescale_run(c, sums, factor + first * c.factor_step, n, out + first);
  }
};

// Computes the blocks of a pixel, whatever its window.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
struct DepthwiseAny {
  const C& c;
  const Window& window;
  const In* in;
  Out* out;
  const Weight* weights;
  const Sum* bias;
  const Factor* factor;

  N2D2_INLINE void operator()(int first, int n) const {
    typedef DepthwiseForm<In, Weight, Sum> Form;
    Sum sums[Form::kBlock];
    for (int i = 0; i < n; ++i) sums[i] = bias[first + i];
    const DepthwiseTaps<false, Form::kTaps, In, Weight, Sum> use = {sums,  weights, c.out_c, c.out_c / c.in_c,
                                                                    first, n};
    if (window.taps() > 0) for_taps<Form::kTaps>(in_plane(c), window, in, use);
    add_padding(c, window, weights, first, n, sums);
    rescale_run(c, sums, factor + first * c.factor_step, n, out + first);
  }
};

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_APART void depthwise_any(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                              const Factor* factor, int oy, int ox) {
  typedef DepthwiseForm<In, Weight, Sum> Form;
  const Window window = window_at(c, c.kernel_w, c.kernel_h, c.dilation_x, c.dilation_y, oy, ox);
  const DepthwiseAny<C, In, Out, Weight, Sum, Factor> use = {c, window, in, out, weights, bias, factor};
  for_channels<Form::kBlock, (Form::kOwn > 0)>(c.out_c, use);
}

// Passes the taps of a whole window to its channels.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
struct DepthwisePixel {
  const C& c;
  Out* out;
  const Weight* weights;
  const Sum* bias;
  const Factor* factor;

  N2D2_INLINE void operator()(const TapGroup<kDepthwiseTaps, In>& group) const {
    typedef DepthwiseForm<In, Weight, Sum> Form;
    const DepthwiseWhole<C, In, Out, Weight, Sum, Factor> use = {c, group, out, weights, bias, factor};
    for_channels<Form::kBlock, (Form::kOwn > 0)>(c.out_c, use);
  }
};

// Computes a pixel whose window is whole and has kDepthwiseTaps taps.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_OWN_FRAME void depthwise_whole(const C& c, const Window& window, const In* in, Out* out,
                                    const Weight* weights, const Sum* bias, const Factor* factor) {
  const DepthwisePixel<C, In, Out, Weight, Sum, Factor> use = {c, out, weights, bias, factor};
  for_taps<kDepthwiseTaps>(in_plane(c), window, in, use);
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void depthwise_pixel(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                                 const Factor* factor, int oy, int ox) {
  const Plane dst = out_plane(c);
  const Window window = window_at(c, c.kernel_w, c.kernel_h, c.dilation_x, c.dilation_y, oy, ox);
  Out* to = out + dst.row_at(oy) + dst.pixel_at(ox);
  if (c.out_c == c.in_c && c.kernel_w * c.kernel_h == kDepthwiseTaps && window.whole(c.kernel_h))
    depthwise_whole(c, window, in, to, weights, bias, factor);
  else
    depthwise_any(c, in, to, weights, bias, factor, oy, ox);
}

// Computes a whole row in a form of its own. A variant (kernels.list) specialises it.
template <class In, class Out, class Weight, class Sum, class Factor>
struct DepthwiseRow {
  enum { kRate = 0 };  // approximate number of products of a thread in a microsecond; 0: unknown
  static N2D2_INLINE const char* name() { return 0; }  // name of the form's file
  // Returns true if the form serves the layer.
  template <class C>
  static N2D2_INLINE bool fits(const C&) {
    return false;
  }
  template <class C>
  static N2D2_INLINE void run(const C&, const In*, Out*, const Weight*, const Sum*, const Factor*, int) {}
};

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void depthwise_line(const C& c, const In* in, Out* out, const Weight* weights, const Sum* bias,
                                const Factor* factor, int oy) {
  typedef DepthwiseRow<In, Out, Weight, Sum, Factor> Row;
  if (c.whole_rows && Row::fits(c)) return Row::run(c, in, out, weights, bias, factor, oy);
  for (int ox = 0; ox < c.out_w; ++ox) depthwise_pixel(c, in, out, weights, bias, factor, oy, ox);
}

// Returns the form as conv2d_form of conv.hpp does; the loops of this file are depthwise_plain.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE const char* conv2d_depthwise_form(const C& c, const In*, const Out*, const Weight*, const Sum*,
                                              const Factor*) {
  typedef DepthwiseRow<In, Out, Weight, Sum, Factor> Row;
  typedef DepthwiseBlock<In, Weight, Sum> Block;
  if (c.whole_rows && Row::fits(c)) return Row::name();
  return c.out_c == c.in_c && c.out_c >= Block::kBlock ? Block::name()
                                                       : DepthwiseBlock<float, float, float>::name();
}

#if defined(_OPENMP)
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void depthwise_parallel(const C& c, const RowGroups& groups, const In* in, Out* out,
                                    const Weight* weights, const Sum* bias, const Factor* factor) {
#pragma omp parallel
  for (int r = 0, together = 0; r < groups.rows.count; r += together) {
    together = groups.size(r);
#pragma omp for schedule(static)
    for (int i = r; i < r + together; ++i)
      depthwise_line(c, in, out, weights, bias, factor, scan(c.bottom_up, i, groups.rows));
  }
}
#endif

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void conv2d_depthwise(const C& c, Rows rows, const In* in, Out* out, const Weight* weights,
                                  const Sum* bias, const Factor* factor) {
#if defined(_OPENMP)
  const int64_t products = static_cast<int64_t>(rows.count) * c.out_w * c.out_c * c.kernel_w * c.kernel_h;
  typedef DepthwiseRow<In, Out, Weight, Sum, Factor> Row;
  const RowGroups groups = row_groups(c, rows, window_rows(c), in, out);
  if (has_threads(c, groups, products, Row::kRate))
    return depthwise_parallel(c, groups, in, out, weights, bias, factor);
#endif
  for (int r = 0; r < rows.count; ++r)
    depthwise_line(c, in, out, weights, bias, factor, scan(c.bottom_up, r, rows));
}

}  // namespace N2D2_EXPORT_NAMESPACE

#if N2D2_VECTOR > 0
#include "depthwise_vector.hpp"
#endif

#include "depthwise_variants.hpp"
