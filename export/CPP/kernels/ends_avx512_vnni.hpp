// Answers: how are the sums of a tile rescaled and stored with AVX-512?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for 8-bit outputs. The steps of rescale_avx512.hpp
// lead from registers to the output.
// Stack: none of note. Scratch: none.
#pragma once

#include <immintrin.h>

#include "conv_packed.hpp"
#include "rescale_avx512.hpp"
#include "sum_avx512.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The factors of N blocks.
template <class Factor, int N>
struct VnniFactors {
  typename Avx512Rescale<Factor>::Factors own;
  VnniFactors<Factor, N - 1> rest;
};
template <class Factor>
struct VnniFactors<Factor, 0> {};

template <class Factor>
struct VnniEnd {
  typedef Avx512Rescale<Factor> Lanes;
  template <int N>
  struct Factors : VnniFactors<Factor, N> {};

  template <class C>
  static N2D2_INLINE void load_from(const C&, const Factor*, int, VnniFactors<Factor, 0>&) {}
  template <class C, int N>
  static N2D2_INLINE void load_from(const C& c, const Factor* factor, int n, VnniFactors<Factor, N>& f) {
    f.own = c.factor_step == 0 ? Lanes::all(factor[0])
                               : (n < 16 ? Lanes::load(PackedVnni::first(n), factor) : Lanes::load(factor));
    load_from(c, factor + kPackedOutputs * c.factor_step, n - kPackedOutputs, f.rest);
  }
  // Loads the factors of n outputs from `first` on.
  template <class C, int N>
  static N2D2_INLINE void load(const C& c, const Factor* factor, int first, int n, Factors<N>& f) {
    load_from(c, factor + first * c.factor_step, n, static_cast<VnniFactors<Factor, N>&>(f));
  }
};

template <class Form, class Factor, class Out>
struct VnniBytesEnd : VnniEnd<Factor> {
  typedef VnniEnd<Factor> End;

  template <class C>
  static N2D2_INLINE __m512i outputs(const C& c, const VnniSums& sums, typename End::Lanes::Factors f) {
    return End::Lanes::template narrowing<Out>(c, reinterpret_cast<__m512i>(sums), f);
  }
  // Stores the first n of 32 integers, narrowed with saturation.
  static N2D2_INLINE void store(__m512i a, __m512i b, int n, Out* out) {
    const bool is_signed = static_cast<Out>(-1) < static_cast<Out>(0);
    const __m512i words = _mm512_packs_epi32(a, b);
    const __m512i bytes = is_signed ? _mm512_packs_epi16(words, words) : _mm512_packus_epi16(words, words);
    static const int32_t order[16] = {0, 4, 8, 12, 1, 5, 9, 13, 0, 4, 8, 12, 1, 5, 9, 13};
    const int32_t* at = order;
    __asm__ volatile("" : "+r"(at));  // loaded here: the loops over sums have no spare register
    _mm512_mask_storeu_epi8(out, ~static_cast<__mmask64>(0) >> (64 - n),
                            _mm512_maskz_permutexvar_epi32(0xffff, _mm512_loadu_si512(at), bytes));
  }
  template <class C>
  static N2D2_INLINE void put_from(const C&, const PackedSums<Form, 0>&, const VnniFactors<Factor, 0>&, int,
                                   Out*) {}
  template <class C>
  static N2D2_INLINE void put_from(const C& c, const PackedSums<Form, 1>& s, const VnniFactors<Factor, 1>& f,
                                   int n, Out* out) {
    const __m512i y = outputs(c, s.own, f.own);
    store(y, y, smaller(n, kPackedOutputs), out);
  }
  // Stores two blocks at a time.
  template <class C, int N>
  static N2D2_INLINE void put_from(const C& c, const PackedSums<Form, N>& s, const VnniFactors<Factor, N>& f,
                                   int n, Out* out) {
    store(outputs(c, s.own, f.own), outputs(c, s.rest.own, f.rest.own), smaller(n, 2 * kPackedOutputs), out);
    put_from(c, s.rest.rest, f.rest.rest, n - 2 * kPackedOutputs, out + 2 * kPackedOutputs);
  }
  template <class C, int N>
  static N2D2_INLINE void put(const C& c, const Stored<Out>& to, const PackedSums<Form, N>& s,
                              const typename VnniEnd<Factor>::template Factors<N>& f, int pixel, int first,
                              int n) {
    put_from(c, s, static_cast<const VnniFactors<Factor, N>&>(f), n,
             to.out + out_plane(c).pixel_at(pixel) + first);
  }
};

template <class Form>
struct PackedEnd<Form, Stored<uint8_t>, float> : VnniBytesEnd<Form, float, uint8_t> {};
template <class Form>
struct PackedEnd<Form, Stored<int8_t>, float> : VnniBytesEnd<Form, float, int8_t> {};
template <class Form>
struct PackedEnd<Form, Stored<uint8_t>, int32_t> : VnniBytesEnd<Form, int32_t, uint8_t> {};
template <class Form>
struct PackedEnd<Form, Stored<int8_t>, int32_t> : VnniBytesEnd<Form, int32_t, int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE
