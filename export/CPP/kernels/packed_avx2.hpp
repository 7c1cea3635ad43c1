// Answers: how are packed weights multiplied with AVX2?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. Bytes are widened to 16 bits: inputs 0 and 2 of a
// group in one vector, 1 and 3 in another. Pairs of products are added in 32 bits, exactly.
// Stack: none of note. Scratch: none.
#pragma once

#include <immintrin.h>

#include "narrow_avx2.hpp"

#define N2D2_PACKED_FORM

namespace N2D2_EXPORT_NAMESPACE {

typedef int32_t Avx2Lanes __attribute__((vector_size(32)));

struct Avx2Sums {
  Avx2Lanes low, high;  // outputs 0 to 7, 8 to 15
};

struct PackedAvx2 {
  enum { kRate = 50000 };
  static N2D2_INLINE const char* name() { return "packed_avx2"; }
  typedef Avx2Sums Sums;
  struct Weights {
    __m256i even_low, odd_low, even_high, odd_high;
  };
  struct Inputs {
    __m256i even, odd;
  };
  enum { kMostPixels = 4, kRegisters = 5, kCorrected = 0 };

  typedef int32_t Group __attribute__((aligned(1), may_alias));

  static N2D2_INLINE __m256i group(const void* from) {
    return _mm256_set1_epi32(*static_cast<const Group*>(from));
  }
  static N2D2_INLINE __m256i even(__m256i bytes) { return _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8); }
  static N2D2_INLINE __m256i odd(__m256i bytes) { return _mm256_srai_epi16(bytes, 8); }

  template <class Weight>
  static N2D2_INLINE Weights weights(const Weight* from) {
    const Avx2Group g = group_of_weights(from, 0);
    const Weights w = {even(g.low), odd(g.low), even(g.high), odd(g.high)};
    return w;
  }
  static N2D2_INLINE Avx2Lanes dot(Avx2Lanes s, const Inputs& x, __m256i even, __m256i odd) {
    return s + (reinterpret_cast<Avx2Lanes>(_mm256_madd_epi16(even, x.even)) +
                reinterpret_cast<Avx2Lanes>(_mm256_madd_epi16(odd, x.odd)));
  }
  static N2D2_INLINE Sums dot(const Sums& s, const Inputs& x, const Weights& w) {
    const Sums sums = {dot(s.low, x, w.even_low, w.odd_low), dot(s.high, x, w.even_high, w.odd_high)};
    return sums;
  }
  static N2D2_INLINE Avx2Lanes lanes(const int32_t* from) {
    return reinterpret_cast<Avx2Lanes>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t) {
    if (n < kPackedOutputs) {
      int32_t some[kPackedOutputs] = {};
      for (int i = 0; i < n; ++i) some[i] = bias[i];
      const Sums s = {lanes(some), lanes(some + 8)};
      return s;
    }
    const Sums s = {lanes(bias), lanes(bias + 8)};
    return s;
  }
  static N2D2_INLINE void store(const Sums& s, int32_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(s.low));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), reinterpret_cast<__m256i>(s.high));
  }
  template <class In>
  static N2D2_INLINE int32_t total(const In*, int) {
    return 0;
  }
};

template <>
struct PackedForm<uint8_t> : PackedAvx2 {
  static N2D2_INLINE const uint16_t* lower_bytes() {
    alignas(32) static const uint16_t mask[16] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                  255, 255, 255, 255, 255, 255, 255, 255};
    return mask;
  }
  static N2D2_INLINE Inputs inputs(const uint8_t* from) {
    const __m256i x = group(from);
    const uint16_t* mask = lower_bytes();
    N2D2_OPAQUE(mask);  // an operand in memory, because no register is spare
    const Inputs in = {_mm256_and_si256(x, _mm256_load_si256(reinterpret_cast<const __m256i*>(mask))),
                       _mm256_srli_epi16(x, 8)};
    return in;
  }
};
template <>
struct PackedForm<int8_t> : PackedAvx2 {
  static N2D2_INLINE Inputs inputs(const int8_t* from) {
    const __m256i x = group(from);
    const Inputs in = {even(x), odd(x)};
    return in;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
