// Answers: how does AVX-512 add and round a few bytes, each with a multiplier?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for sums of elemwise.hpp with 8-bit outputs, in 64
// bits (rescale_avx512.hpp).
// Stack: none of note. Scratch: none.
#pragma once

#include <immintrin.h>

#include "elemwise.hpp"
#include "rescale_avx512.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Adds the products of 16 integers with one multiplier.
N2D2_INLINE void add_products(SumLanes& sum, __m512i x, int32_t multiplier) {
  const __m512i m = _mm512_set1_epi32(multiplier);
  sum.even = _mm512_add_epi64(sum.even, _mm512_maskz_mul_epi32(0xff, x, m));
  sum.odd = _mm512_add_epi64(sum.odd, _mm512_maskz_mul_epi32(0xff, _mm512_maskz_srli_epi64(0xff, x, 32), m));
}

// Returns n bytes as 16 integers.
template <class Byte>
N2D2_INLINE __m512i widened(const Byte* from, int n, bool is_signed) {
  static_assert(sizeof(Byte) == 1, "bytes");
  const __m128i bytes = _mm_maskz_loadu_epi8(static_cast<__mmask16>(0xffffu >> (16 - n)), from);
  return is_signed ? _mm512_maskz_cvtepi8_epi32(0xffff, bytes) : _mm512_maskz_cvtepu8_epi32(0xffff, bytes);
}

struct AddingLanes {
  template <class P, class In>
  static N2D2_INLINE void run(SumLanes* sum, const Plane& dst, int y, int x, int first, int n,
                              const Operand<P, In>& o) {
    const Beside<In> from = beside(o, dst, y, x, first);
    const bool is_signed = o.c.is_signed != 0;
    const int32_t all = is_signed ? static_cast<int32_t>(static_cast<int8_t>(from.data[0]))
                                  : static_cast<int32_t>(static_cast<uint8_t>(from.data[0]));
    add_products(*sum, from.step == 0 ? _mm512_set1_epi32(all) : widened(from.data, n, is_signed),
                 o.c.multiplier);
  }
};

template <class Out>
struct SumOfBytes {
  enum { kThere = 1 };
  template <class C, class... Operands>
  static N2D2_INLINE void run(const C& c, Out* out, const Plane& dst, int y, int x, int first, int n,
                              const Operands&... operands) {
    SumLanes sum = {_mm512_set1_epi64(start_of(c)), _mm512_set1_epi64(start_of(c))};
    join_operands<AddingLanes>(&sum, dst, y, x, first, n, operands...);
    _mm512_mask_cvtepi32_storeu_epi8(out, static_cast<__mmask16>(0xffffu >> (16 - n)), finished(c, sum));
  }
};
template <>
struct ElemwiseForm<Adding, uint8_t> : SumOfBytes<uint8_t> {};
template <>
struct ElemwiseForm<Adding, int8_t> : SumOfBytes<int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE
