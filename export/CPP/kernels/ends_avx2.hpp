// Answers: how are the sums of a tile rescaled and stored with AVX2?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for 8-bit outputs, from registers to the output. The
// sums are two vectors of 8, `low` and `high`.
// Stack: 128 bytes, where a block has fewer than 16 outputs. Scratch: none.
#pragma once

#include <immintrin.h>

#include "conv_packed.hpp"
#include "rescale_avx2.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The factors of N blocks.
template <class Factor, int N>
struct Avx2Factors {
  typename Avx2Rescale<Factor>::Factors low, high;
  Avx2Factors<Factor, N - 1> rest;
};
template <class Factor>
struct Avx2Factors<Factor, 0> {};

template <class Factor>
struct Avx2End {
  typedef Avx2Rescale<Factor> Lanes;
  template <int N>
  struct Factors : Avx2Factors<Factor, N> {};

  template <class C>
  static N2D2_INLINE void load_from(const C&, const Factor*, int, Avx2Factors<Factor, 0>&) {}
  template <class C, int N>
  static N2D2_INLINE void load_from(const C& c, const Factor* factor, int n, Avx2Factors<Factor, N>& f) {
    if (c.factor_step == 0) {
      f.low = f.high = Lanes::all(factor[0]);
    } else if (n >= kPackedOutputs) {
      f.low = Lanes::load(factor), f.high = Lanes::load(factor + 8);
    } else {
      Factor some[kPackedOutputs];
      for (int i = 0; i < kPackedOutputs; ++i) some[i] = factor[i < n ? i : 0];
      f.low = Lanes::load(some), f.high = Lanes::load(some + 8);
    }
    load_from(c, factor + kPackedOutputs * c.factor_step, n - kPackedOutputs, f.rest);
  }
  // Loads the factors of n outputs from `first` on.
  template <class C, int N>
  static N2D2_INLINE void load(const C& c, const Factor* factor, int first, int n, Factors<N>& f) {
    load_from(c, factor + first * c.factor_step, n, static_cast<Avx2Factors<Factor, N>&>(f));
  }
  // Returns 8 outputs inside [lo, hi] from 8 sums.
  template <class C, class Sums>
  static N2D2_INLINE __m256i values(const C& c, const Sums& sums, typename Lanes::Factors f) {
    return Lanes::values(c, reinterpret_cast<__m256i>(sums), f);
  }
};

template <class Form, class Factor, class Out>
struct Avx2BytesEnd : Avx2End<Factor> {
  typedef Avx2End<Factor> End;

  template <class C>
  static N2D2_INLINE void put_from(const C&, const PackedSums<Form, 0>&, const Avx2Factors<Factor, 0>&, int,
                                   Out*) {}
  template <class C, int N>
  static N2D2_INLINE void put_from(const C& c, const PackedSums<Form, N>& s, const Avx2Factors<Factor, N>& f,
                                   int n, Out* out) {
    store_bytes(narrowed<Out>(End::values(c, s.own.low, f.low), End::values(c, s.own.high, f.high)), n, out);
    put_from(c, s.rest, f.rest, n - kPackedOutputs, out + kPackedOutputs);
  }
  template <class C, int N>
  static N2D2_INLINE void put(const C& c, const Stored<Out>& to, const PackedSums<Form, N>& s,
                              const typename End::template Factors<N>& f, int pixel, int first, int n) {
    put_from(c, s, static_cast<const Avx2Factors<Factor, N>&>(f), n,
             to.out + out_plane(c).pixel_at(pixel) + first);
  }
};

template <class Form>
struct PackedEnd<Form, Stored<uint8_t>, float> : Avx2BytesEnd<Form, float, uint8_t> {};
template <class Form>
struct PackedEnd<Form, Stored<int8_t>, float> : Avx2BytesEnd<Form, float, int8_t> {};
template <class Form>
struct PackedEnd<Form, Stored<uint8_t>, int32_t> : Avx2BytesEnd<Form, int32_t, uint8_t> {};
template <class Form>
struct PackedEnd<Form, Stored<int8_t>, int32_t> : Avx2BytesEnd<Form, int32_t, int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE
