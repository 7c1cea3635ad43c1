// Answers: how are groups of narrow weights loaded with AVX-512?
// Part of an exported project; may be used without condition.
//
// It has no config fields; packed_avx512_vnni.hpp includes it. Stack, Scratch: none.
#pragma once

#include <immintrin.h>

#include "packed.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Returns the bytes of a group in all parts of a vector, shifted so that each part has another field on top.
template <int kBits>
struct Fields512;
template <>
struct Fields512<4> {
  static N2D2_INLINE __m512i load(const void* from) {
    const __m512i bytes =
        _mm512_maskz_broadcast_i64x4(0xff, _mm256_loadu_si256(static_cast<const __m256i*>(from)));
    return _mm512_maskz_sllv_epi64(0xff, bytes, _mm512_setr_epi64(4, 4, 4, 4, 0, 0, 0, 0));
  }
};
template <>
struct Fields512<2> {
  static N2D2_INLINE __m512i load(const void* from) {
    const __m512i bytes =
        _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(static_cast<const __m128i*>(from)));
    return _mm512_maskz_sllv_epi64(0xff, bytes, _mm512_setr_epi64(6, 6, 4, 4, 2, 2, 0, 0));
  }
};
template <>
struct Fields512<1> {
  typedef long long Bytes __attribute__((aligned(1), may_alias));
  static N2D2_INLINE __m512i load(const void* from) {
    const __m512i bytes = _mm512_set1_epi64(*static_cast<const Bytes*>(from));
    return _mm512_maskz_sllv_epi64(0xff, bytes, _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  }
};

// Returns a group of weights, each as its bits that differ from `flipped`.
N2D2_INLINE __m512i group_of_weights(const int8_t* from, int flipped) {
  const __m512i w = _mm512_loadu_si512(from);
  return flipped == 0 ? w : _mm512_xor_si512(w, _mm512_set1_epi8(static_cast<char>(flipped)));
}
template <int kBits, int kOdd>
N2D2_INLINE __m512i group_of_weights(const Narrow<kBits, kOdd>* from, int flipped) {
  typedef Narrow<kBits, kOdd> Weights;
  const __m512i upper =
      _mm512_and_si512(Fields512<kBits>::load(from), _mm512_set1_epi8(static_cast<char>(Weights::kMask)));
  flipped ^= Weights::kFlipped;
  return flipped == 0 ? upper : _mm512_xor_si512(upper, _mm512_set1_epi8(static_cast<char>(flipped)));
}

}  // namespace N2D2_EXPORT_NAMESPACE
