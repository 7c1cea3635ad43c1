// Answers: how are the sums of a tile rescaled and stored on AArch64?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for 8-bit outputs in the floating-point form, as
// rescale_neon.hpp. It serves forms that give 16 sums as NeonSums (Form::whole).
// Stack: 80 bytes, where a block has fewer than 16 outputs. Scratch: none.
#pragma once

#include "conv_packed.hpp"
#include "rescale_neon.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The factors of N blocks.
template <int N>
struct NeonFactors {
  float32x4_t a, b, c, d;
  NeonFactors<N - 1> rest;
};
template <>
struct NeonFactors<0> {};

template <class Form, class Out>
struct NeonBytesEnd {
  template <int N>
  struct Factors : NeonFactors<N> {};

  template <class C>
  static N2D2_INLINE void load_from(const C&, const float*, int, NeonFactors<0>&) {}
  template <class C, int N>
  static N2D2_INLINE void load_from(const C& c, const float* factor, int n, NeonFactors<N>& f) {
    float some[kPackedOutputs];
    const float* from = factor;
    if (c.factor_step == 0) {
      f.a = f.b = f.c = f.d = vld1q_dup_f32(factor);
    } else {
      if (n < kPackedOutputs) {
        for (int i = 0; i < kPackedOutputs; ++i) some[i] = factor[i < n ? i : 0];
        from = some;
      }
      f.a = vld1q_f32(from), f.b = vld1q_f32(from + 4);
      f.c = vld1q_f32(from + 8), f.d = vld1q_f32(from + 12);
    }
    load_from(c, factor + kPackedOutputs * c.factor_step, n - kPackedOutputs, f.rest);
  }
  template <class C, int N>
  static N2D2_INLINE void load(const C& c, const float* factor, int first, int n, Factors<N>& f) {
    load_from(c, factor + first * c.factor_step, n, static_cast<NeonFactors<N>&>(f));
  }
  template <class C>
  static N2D2_INLINE void put_from(const C&, const PackedSums<Form, 0>&, const NeonFactors<0>&, int, Out*) {}
  template <class C, int N>
  static N2D2_INLINE void put_from(const C& c, const PackedSums<Form, N>& s, const NeonFactors<N>& f, int n,
                                   Out* out) {
    const NeonSums sums = Form::whole(s.own);
    const int16x8_t low = NeonRescale::eight(NeonRescale::four(sums.a, f.a), NeonRescale::four(sums.b, f.b));
    const int16x8_t high = NeonRescale::eight(NeonRescale::four(sums.c, f.c), NeonRescale::four(sums.d, f.d));
    if (n >= kPackedOutputs) {
      NeonRescale::store(c, low, high, out);
    } else {
      Out bytes[kPackedOutputs];
      NeonRescale::store(c, low, high, bytes);
      for (int i = 0; i < n; ++i) out[i] = bytes[i];
    }
    put_from(c, s.rest, f.rest, n - kPackedOutputs, out + kPackedOutputs);
  }
  template <class C, int N>
  static N2D2_INLINE void put(const C& c, const Stored<Out>& to, const PackedSums<Form, N>& s,
                              const Factors<N>& f, int pixel, int first, int n) {
    put_from(c, s, static_cast<const NeonFactors<N>&>(f), n, to.out + out_plane(c).pixel_at(pixel) + first);
  }
};

template <class Form>
struct PackedEnd<Form, Stored<uint8_t>, float> : NeonBytesEnd<Form, uint8_t> {};
template <class Form>
struct PackedEnd<Form, Stored<int8_t>, float> : NeonBytesEnd<Form, int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE
