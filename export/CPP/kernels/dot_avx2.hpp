// Answers: how are the tiles of dot_portable.hpp computed on bytes with the 16-bit products of AVX2?
// Part of an exported project; a form of kernels.list.
//
// It has no config fields. Elements are widened to 16 bits. One instruction adds pairs of products in 32
// bits, exactly. The instruction that multiplies bytes saturates and is not used.
// Stack, Scratch: as dot_portable.hpp.
#pragma once

#include <immintrin.h>

#include "dot_vector.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct Avx2Products {
  static N2D2_INLINE const char* name() { return "dot_avx2"; }
  template <class T, class Bytes>
  static N2D2_INLINE Words bytes(Bytes v) {
    const __m128i low = reinterpret_cast<__m128i>(v);
    return reinterpret_cast<Words>(static_cast<T>(-1) < static_cast<T>(0) ? _mm256_cvtepi8_epi16(low)
                                                                          : _mm256_cvtepu8_epi16(low));
  }
  static N2D2_INLINE WordSums add(WordSums sum, Words x, Words w) {
    return sum + reinterpret_cast<WordSums>(
                     _mm256_madd_epi16(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(w)));
  }
};

template <>
struct Dot<uint8_t, int8_t, int32_t> : VectorDot<uint8_t, Avx2Products> {};
template <>
struct Dot<int8_t, int8_t, int32_t> : VectorDot<int8_t, Avx2Products> {};

}  // namespace N2D2_EXPORT_NAMESPACE
