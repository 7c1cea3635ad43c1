// Answers: what is the weighted sum of a convolution and another tensor, made in one go?
// Part of an exported project; may be used without condition.
//
// The bytes of conv.hpp and elemwise.hpp behind it: z = the convolution's output with its own rounding and bounds,
// y = clamp((z * m + a * n + h) >> shift) in 64 bits, one more rounding; in a float network y = clamp(z * m + a * n).
// z is stored nowhere. Config fields: those of conv.hpp, out_* where y lies, and
//   multiplier                              m: int32_t, any sign; float in a float network
//   addend_multiplier                       n: the same
//   addend_is_signed                        how to read a, as is_signed of elemwise.hpp
//   addend_index                            0: a is the sum's first operand, 1: its second
//   addend_pixel, addend_row, addend_ring   where a lies, as in_pixel and so on of plane.hpp; its extents are the output's
//   addend_first, addend_turn               as in_first, in_turn
//   sum_lo, sum_hi, sum_shift               of y, as lo, hi and shift of rescale.hpp
// Arrays: as conv.hpp. An element of a is read once, before that of y is written: the output may lie exactly on the
// addend, apart from that it must not overlap the addend's row. Pixels of a row come in any order.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "conv.hpp"
#include "elemwise.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class C>
N2D2_INLINE Plane addend_plane(const C& c) {
  const Plane p = {c.out_w,      c.out_h,       c.out_c,        c.addend_pixel,
                   c.addend_row, c.addend_ring, c.addend_first, c.addend_turn};
  return p;
}

// What the end of a sum reads of a config.
template <class Bound>
struct SumBounds {
  Bound lo, hi;
  int shift;
};

// values[i] = the convolution's outputs, of its sums.
template <class C, class Sum, class Factor>
N2D2_INLINE void conv_values(const C& c, Sum* sums, const Factor* factor, int n) {
  rescale_values(c, sums, factor, n, sums);
}
template <class C, class Factor>
N2D2_INLINE void conv_values(const C& c, float* sums, const Factor*, int n) {
  for (int i = 0; i < n; ++i) sums[i] = clamp_to<float>(c, sums[i]);
}

template <class Total, class T>
N2D2_INLINE void add_products(Total* totals, const T* values, Total multiplier, int n) {
  for (int i = 0; i < n; ++i) totals[i] += static_cast<Total>(values[i]) * multiplier;
}

template <class C, class Total, class Addend>
N2D2_INLINE void add_addend(const C& c, Total* totals, const Addend* addend, int n) {
  typedef Reading<Addend> R;
  const Total k = static_cast<Total>(static_cast<typename R::Multiplier>(c.addend_multiplier));
  if (c.addend_is_signed)
    for (int i = 0; i < n; ++i)
      totals[i] += static_cast<Total>(static_cast<typename R::Signed>(addend[i])) * k;
  else
    for (int i = 0; i < n; ++i)
      totals[i] += static_cast<Total>(static_cast<typename R::Unsigned>(addend[i])) * k;
}

// Outputs summed together: few, for the convolution's sums are on the stack, too.
template <class Addend>
struct SumRunOf {
  enum { kSize = RunOf<typename Reading<Addend>::Sum>::kSize / 2 };
};

// n outputs, a run of one pixel, of the convolution's outputs and the addend; in the order of the sum's operands.
template <class C, class Sum, class Addend, class Out>
N2D2_INLINE void sum_values(const C& c, const Sum* values, const Addend* addend, int n, Out* out) {
  typedef typename Reading<Addend>::Sum Total;
  typedef typename Reading<Addend>::Multiplier Multiplier;
  const SumBounds<Multiplier> bounds = {c.sum_lo, c.sum_hi, c.sum_shift};
  Total totals[SumRunOf<Addend>::kSize];
  for (int i = 0; i < n; ++i) totals[i] = 0;
  if (c.addend_index == 0) add_addend(c, totals, addend, n);
  add_products(totals, values, static_cast<Total>(static_cast<Multiplier>(c.multiplier)), n);
  if (c.addend_index != 0) add_addend(c, totals, addend, n);
  for (int i = 0; i < n; ++i) out[i] = finish_sum<Out>(bounds, totals[i]);
}

// Outputs of a convolution go on into a sum. As Stored of conv.hpp, but no element is stored a second time.
template <class Addend, class Out>
struct Summed {
  Out* out;
  const Addend* addend;
  int again;

  template <class C>
  N2D2_INLINE Summed at(const C& c, int y, int x, int stored) const {
    const Plane dst = out_plane(c), src = addend_plane(c);
    const Summed s = {out + dst.row_at(y) + dst.pixel_at(x), addend + src.row_at(y) + src.pixel_at(x),
                      stored};
    return s;
  }
  template <class C>
  N2D2_INLINE Summed behind(const C& c, int pixels) const {
    const Summed s = {out + out_plane(c).pixel_at(pixels), addend + addend_plane(c).pixel_at(pixels),
                      again - pixels};
    return s;
  }
  template <class C, class Sum, class Factor>
  N2D2_INLINE void put(const C& c, Sum* sums, const Sum* bias, const Factor* factor, int pixel, int first,
                       int n) const {
    if (pixel < again) return;
    add_bias(sums, bias + first, n);
    finish(c, sums, factor, pixel, first, n);
  }
  // Of sums that have their biases.
  template <class C, class Sum, class Factor>
  N2D2_INLINE void finish(const C& c, Sum* sums, const Factor* factor, int pixel, int first, int n) const {
    enum { kRun = SumRunOf<Addend>::kSize };
    if (pixel < again) return;
    conv_values(c, sums, factor + first * c.factor_step, n);
    const Addend* from = addend + addend_plane(c).pixel_at(pixel) + first;
    Out* to = out + out_plane(c).pixel_at(pixel) + first;
    const int whole = n / kRun * kRun;
    for (int i = 0; i < whole; i += kRun) sum_values(c, sums + i, from + i, kRun, to + i);
    if (whole < n) sum_values(c, sums + whole, from + whole, n - whole, to + whole);
  }
  N2D2_INLINE bool skips(int pixel) const { return pixel < again; }
  template <class C>
  N2D2_INLINE const Addend* addend_at(const C& c, int pixel, int first) const {
    return addend + addend_plane(c).pixel_at(pixel) + first;
  }
  template <class C>
  static N2D2_INLINE constexpr bool rows_follow(const C& c) {
    return c.addend_ring == 0 && (c.out_h == 1 || c.addend_row == c.out_w * c.addend_pixel);
  }
  // Rows may lie over those of the addend, too: each by itself.
  template <class C, class In>
  N2D2_INLINE RowGroups groups(const C& c, Rows rows, const In* in) const {
    RowGroups g = row_groups(c, rows, window_rows(c), in, out);
    g.most = 1;
    return g;
  }
};

// As conv2d_form.
template <class C, class In, class Addend, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE const char* conv2d_sum_form(const C& c, const In* in, const Addend*, const Out*,
                                        const Weight* weights, const Sum* bias, const Factor*) {
  return form_of_conv(c, in, weights, bias);
}

template <class C, class In, class Addend, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void conv2d_sum(const C& c, Rows rows, const In* in, const Addend* addend, Out* out,
                            const Weight* weights, const Sum* bias, const Factor* factor) {
  const Summed<Addend, Out> to = {out, addend, 0};
  conv_rows(c, rows, in, to, weights, bias, factor);
}

}  // namespace N2D2_EXPORT_NAMESPACE
