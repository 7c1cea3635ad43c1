// Answers: how are groups of narrow weights loaded with AVX2?
// Part of an exported project; may be used without condition.
//
// It has no config fields; packed_avx2.hpp and packed_avxvnni.hpp include it. Stack, Scratch: none.
#pragma once

#include <immintrin.h>

#include "packed.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// A group of weights in two vectors.
struct Avx2Group {
  __m256i low, high;
};

// Returns the bytes of half a group in all parts of a vector, shifted so that each part has another field on
// top. Shifts move bits across bytes, but none to those that count.
template <int kBits>
struct Fields256;
template <>
struct Fields256<4> {
  static N2D2_INLINE Avx2Group load(const void* from) {
    const __m256i bytes = _mm256_loadu_si256(static_cast<const __m256i*>(from));
    const Avx2Group g = {_mm256_slli_epi64(bytes, 4), bytes};
    return g;
  }
};
template <>
struct Fields256<2> {
  static N2D2_INLINE Avx2Group load(const void* from) {
    const __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(from)));
    const Avx2Group g = {_mm256_sllv_epi64(bytes, _mm256_setr_epi64x(6, 6, 4, 4)),
                         _mm256_sllv_epi64(bytes, _mm256_setr_epi64x(2, 2, 0, 0))};
    return g;
  }
};
template <>
struct Fields256<1> {
  typedef long long Bytes __attribute__((aligned(1), may_alias));
  static N2D2_INLINE Avx2Group load(const void* from) {
    const __m256i bytes = _mm256_set1_epi64x(*static_cast<const Bytes*>(from));
    const Avx2Group g = {_mm256_sllv_epi64(bytes, _mm256_setr_epi64x(7, 6, 5, 4)),
                         _mm256_sllv_epi64(bytes, _mm256_setr_epi64x(3, 2, 1, 0))};
    return g;
  }
};

// Returns weights, each as its bits that differ from `flipped`.
N2D2_INLINE __m256i flipped_weights(__m256i w, int flipped) {
  return flipped == 0 ? w : _mm256_xor_si256(w, _mm256_set1_epi8(static_cast<char>(flipped)));
}
N2D2_INLINE Avx2Group group_of_weights(const int8_t* from, int flipped) {
  const __m256i* halves = reinterpret_cast<const __m256i*>(from);
  const Avx2Group g = {flipped_weights(_mm256_loadu_si256(halves), flipped),
                       flipped_weights(_mm256_loadu_si256(halves + 1), flipped)};
  return g;
}
template <int kBits, int kOdd>
N2D2_INLINE Avx2Group group_of_weights(const Narrow<kBits, kOdd>* from, int flipped) {
  typedef Narrow<kBits, kOdd> Weights;
  const __m256i mask = _mm256_set1_epi8(static_cast<char>(Weights::kMask));
  const Avx2Group fields = Fields256<kBits>::load(from);
  flipped ^= Weights::kFlipped;
  const Avx2Group g = {flipped_weights(_mm256_and_si256(fields.low, mask), flipped),
                       flipped_weights(_mm256_and_si256(fields.high, mask), flipped)};
  return g;
}

}  // namespace N2D2_EXPORT_NAMESPACE
