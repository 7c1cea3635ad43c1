// Answers: what does a fully connected layer compute over an input of any planned buffer?
// Part of an exported project; may be used without condition.
//
// y = rescale(bias[o] + sum over (y, x, c) of x * w), one output pixel: `rows` is {0, 1} or empty.
// Config fields: in_*, out_c of plane.hpp (the output is 1 x 1 x out_c and does not wrap; its other fields
// are not read); lo, hi, shift, factor_step of rescale.hpp; and
//   parallel   1: blocks of outputs may run on several threads (needs OpenMP); 0: one thread
//   packed     1: weights lie in the order of packed.hpp where N2D2_PACKED is defined (isa.hpp); 0: never
//   small_factors   1: factors are floats of at most 0.5, so that their products with sums fit 32 bits; 0:
//                   they may not be
// Arrays: weights [out_c][in_h][in_w][in_c], also narrow (narrow.hpp), bias [out_c], factor [out_c] or [1] by
// factor_step. Output and input must not overlap. The input is read in place.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "conv.hpp"
#if defined(N2D2_PACKED_FORM)
#include "fc_packed.hpp"
#endif

namespace N2D2_EXPORT_NAMESPACE {

// The whole input as one window.
template <class C, class In>
N2D2_INLINE Windows<In> whole_input(const C& c, const In* in) {
  const Plane src = in_plane(c);
  if (src.dense()) return one_run(in, src.h * src.w * src.c, 0);
  const bool run = src.dense_rows();
  const Windows<In> w = {in,      0,         src.h,    run ? 1 : src.w, run ? src.w * src.c : src.c,
                         src.row, src.pixel, src.ring, src.first,       1,
                         src.turn};
  return w;
}

// Outputs [first, first + count), count <= kPanel.
template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void fc_block(const C& c, const In* in, const To& to, const Weight* weights, const Sum* bias,
                          const Factor* factor, int first, int count) {
  const Plane src = in_plane(c);
  const ptrdiff_t window = static_cast<ptrdiff_t>(src.h) * src.w * src.c;
  const Filters<Weight> filters = {
      WeightsIn<Weight>::at(weights, 0), WeightsIn<Weight>::whole(window), 3, src.w * src.c, src.c, 0};
  conv_outputs<1>(c, whole_input(c, in), filters, to, weights, bias, factor, first, count);
}

// All outputs, on one thread.
template <class C, class In, class To, class Weight, class Sum, class Factor>
N2D2_INLINE void fc_blocks(const C& c, const In* in, const To& to, const Weight* weights, const Sum* bias,
                           const Factor* factor) {
  for (int first = 0; first < c.out_c; first += kPanel)
    fc_block(c, in, to, weights, bias, factor, first, smaller(kPanel, c.out_c - first));
}

// Whether there are packed weights for elements of these types, and what serves them.
template <class In, class Weight, class Sum>
struct FcPacked {
  enum { kThere = 0 };
  static N2D2_INLINE const char* name() { return 0; }
  template <class C, class Out, class Factor>
  static N2D2_INLINE void run(const C&, const In*, Out*, const Weight*, const Sum*, const Factor*) {}
};
#if defined(N2D2_PACKED_FORM)
template <class In>
struct FcPackedBytes {
  enum { kThere = 1 };
  static N2D2_INLINE const char* name() { return PackedForm<In>::name(); }
  template <class C, class Out, class Weight, class Factor>
  static N2D2_INLINE void run(const C& c, const In* in, Out* out, const Weight* weights, const int32_t* bias,
                              const Factor* factor) {
    fc_packed(c, whole_input(c, in), out, weights, bias, factor);
  }
};
template <>
struct FcPacked<uint8_t, int8_t, int32_t> : FcPackedBytes<uint8_t> {};
template <>
struct FcPacked<int8_t, int8_t, int32_t> : FcPackedBytes<int8_t> {};
template <int kBits, int kOdd>
struct FcPacked<uint8_t, Narrow<kBits, kOdd>, int32_t> : FcPackedBytes<uint8_t> {};
template <int kBits, int kOdd>
struct FcPacked<int8_t, Narrow<kBits, kOdd>, int32_t> : FcPackedBytes<int8_t> {};
#endif

// As conv2d_form of conv.hpp.
template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE const char* fc_form(const C& c, const In*, const Out*, const Weight*, const Sum*, const Factor*) {
  typedef FcPacked<In, Weight, Sum> Packed;
  return Packed::kThere && c.packed ? Packed::name() : Dot<In, Weight, Sum>::name();
}

template <class C, class In, class Out, class Weight, class Sum, class Factor>
N2D2_INLINE void fc(const C& c, Rows rows, const In* in, Out* out, const Weight* weights, const Sum* bias,
                    const Factor* factor) {
  if (rows.count < 1) return;
  typedef FcPacked<In, Weight, Sum> Packed;
  if (Packed::kThere && c.packed) return Packed::run(c, in, out, weights, bias, factor);
  const Stored<Out> to = {out};
#if defined(_OPENMP)
  if (has_threads(c)) {
    const int blocks = (c.out_c + kPanel - 1) / kPanel;
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; ++b)
      fc_block(c, in, to, weights, bias, factor, b * kPanel, smaller(kPanel, c.out_c - b * kPanel));
    return;
  }
#endif
  fc_blocks(c, in, to, weights, bias, factor);
}

}  // namespace N2D2_EXPORT_NAMESPACE
