// Answers: how are the tiles of dot_portable.hpp computed on bytes with the 16-bit products of SSE2?
// Part of an exported project; a form of kernels.list.
//
// It has no config fields. Elements are widened to 16 bits. Pairs of products are added in 32 bits, exactly.
// Stack, Scratch: as dot_portable.hpp.
#pragma once

#include <emmintrin.h>

#include "dot_vector.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Sse2Products : PlainWiden {
  static N2D2_INLINE const char* name() { return "dot_sse2"; }
  static N2D2_INLINE WordSums add(WordSums sum, Words x, Words w) {
    return sum + reinterpret_cast<WordSums>(
                     _mm_madd_epi16(reinterpret_cast<__m128i>(x), reinterpret_cast<__m128i>(w)));
  }
};

template <>
struct Dot<uint8_t, int8_t, int32_t> : VectorDot<uint8_t, Sse2Products> {};
template <>
struct Dot<int8_t, int8_t, int32_t> : VectorDot<int8_t, Sse2Products> {};

}  // namespace N2D2_EXPORT_NAMESPACE
