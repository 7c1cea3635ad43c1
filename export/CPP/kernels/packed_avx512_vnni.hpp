// Answers: how are packed weights multiplied with AVX-512 VNNI?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. The instruction multiplies unsigned by signed bytes
// and does not saturate. Unsigned inputs are its first operand. For signed inputs the weights are, read as w
// + 128, and 128 times the sum of a window's inputs is subtracted from its biases.
// Stack: none of note. Scratch: none.
#pragma once

#include <immintrin.h>

#include "narrow_avx512.hpp"

#define N2D2_PACKED_FORM

// Number of pixels of the largest tile; a smaller one compiles fewer sizes.
#if !defined(N2D2_PACKED_PIXELS)
#define N2D2_PACKED_PIXELS 14
#endif

namespace N2D2_EXPORT_NAMESPACE {

// A vector of 16 sums; typed lanes keep the compiler from copying accumulators.
typedef int32_t VnniSums __attribute__((vector_size(64)));

struct PackedVnni {
  enum { kRate = 200000 };
  static N2D2_INLINE const char* name() { return "packed_avx512_vnni"; }
  typedef VnniSums Sums;
  typedef __m512i Weights;
  typedef __m512i Inputs;

  typedef int32_t Group __attribute__((aligned(1), may_alias));

  static N2D2_INLINE __mmask16 first(int n) {
    return static_cast<__mmask16>(n < 16 ? (1u << (n < 0 ? 0 : n)) - 1u : 0xffffu);
  }
  static N2D2_INLINE void store(Sums s, int32_t* to) {
    _mm512_storeu_si512(to, reinterpret_cast<__m512i>(s));
  }
  static N2D2_INLINE __m512i group(const void* from) {
    return _mm512_set1_epi32(*static_cast<const Group*>(from));
  }
  static N2D2_INLINE __m512i biases(const int32_t* bias, int n) {
    return n < 16 ? _mm512_maskz_loadu_epi32(first(n), bias) : _mm512_loadu_si512(bias);
  }
  static N2D2_INLINE int32_t sum_of_lanes(__m512i v) {
    v = _mm512_add_epi32(v, _mm512_maskz_shuffle_i32x4(0xffff, v, v, 0x4e));
    v = _mm512_add_epi32(v, _mm512_maskz_shuffle_i32x4(0xffff, v, v, 0xb1));
    __m128i four = _mm512_maskz_extracti32x4_epi32(0xf, v, 0);
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
  }
  // Returns bytes [0, n) of a vector, n in [1, 64].
  static N2D2_INLINE __m512i bytes(const void* from, int n) {
    return _mm512_maskz_loadu_epi8(~static_cast<__mmask64>(0) >> (64 - n), from);
  }
};

template <>
struct PackedForm<uint8_t> : PackedVnni {
  enum { kCorrected = 0, kMostPixels = N2D2_PACKED_PIXELS, kRegisters = 31 };
  template <class Weight>
  static N2D2_INLINE Weights weights(const Weight* from) {
    __m512i w = group_of_weights(from, 0);
    __asm__("" : "+v"(w));  // one load for all pixels
    return w;
  }
  static N2D2_INLINE Inputs inputs(const uint8_t* from) { return group(from); }
  static N2D2_INLINE Sums dot(Sums s, const Inputs& x, const Weights& w) {
    return reinterpret_cast<Sums>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(s), x, w));
  }
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t) {
    return reinterpret_cast<Sums>(biases(bias, n));
  }
  static N2D2_INLINE int32_t total(const uint8_t*, int) { return 0; }
};

template <>
struct PackedForm<int8_t> : PackedVnni {
  enum { kCorrected = 1, kRegisters = 30 };  // one holds -128
  enum { kMostPixels = N2D2_PACKED_PIXELS < 12 ? N2D2_PACKED_PIXELS : 12 };
  template <class Weight>
  static N2D2_INLINE Weights weights(const Weight* from) {
    __m512i w = group_of_weights(from, 0x80);
    __asm__("" : "+v"(w));
    return w;
  }
  static N2D2_INLINE Inputs inputs(const int8_t* from) { return group(from); }
  static N2D2_INLINE Sums dot(Sums s, const Inputs& x, const Weights& w) {
    return reinterpret_cast<Sums>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(s), w, x));
  }
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t inputs) {
    return reinterpret_cast<Sums>(biases(bias, n)) - reinterpret_cast<Sums>(_mm512_set1_epi32(128 * inputs));
  }
  static N2D2_INLINE int32_t total(const int8_t* from, int n) {
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i sum = _mm512_setzero_si512();
    for (int i = 0; i < n; i += 64)
      sum = _mm512_dpbusd_epi32(sum, ones, bytes(from + i, n - i < 64 ? n - i : 64));
    return sum_of_lanes(sum);
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
