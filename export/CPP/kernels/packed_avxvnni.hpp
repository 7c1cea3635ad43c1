// Answers: how are packed weights multiplied with AVX-VNNI?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list, as packed_avx512_vnni.hpp in vectors of 8 sums.
// Stack: none of note. Scratch: none.
#pragma once

#include <immintrin.h>

#include "narrow_avx2.hpp"

#define N2D2_PACKED_FORM

namespace N2D2_EXPORT_NAMESPACE {

typedef int32_t AvxVnniLanes __attribute__((vector_size(32)));

struct PackedAvxVnni {
  enum { kRate = 200000 };
  static N2D2_INLINE const char* name() { return "packed_avxvnni"; }
  struct Sums {
    AvxVnniLanes low, high;
  };
  typedef Avx2Group Weights;
  typedef __m256i Inputs;

  typedef int32_t Group __attribute__((aligned(1), may_alias));

  static N2D2_INLINE __m256i load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static N2D2_INLINE Inputs group(const void* from) {
    return _mm256_set1_epi32(*static_cast<const Group*>(from));
  }
  static N2D2_INLINE AvxVnniLanes dot(AvxVnniLanes s, __m256i u8, __m256i s8) {
    return reinterpret_cast<AvxVnniLanes>(_mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(s), u8, s8));
  }
  static N2D2_INLINE Sums biases(const int32_t* bias, int n) {
    int32_t some[kPackedOutputs] = {};
    if (n < kPackedOutputs) {
      for (int i = 0; i < n; ++i) some[i] = bias[i];
      bias = some;
    }
    const Sums s = {reinterpret_cast<AvxVnniLanes>(load(bias)),
                    reinterpret_cast<AvxVnniLanes>(load(bias + 8))};
    return s;
  }
  static N2D2_INLINE void store(const Sums& s, int32_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(s.low));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), reinterpret_cast<__m256i>(s.high));
  }
};

template <>
struct PackedForm<uint8_t> : PackedAvxVnni {
  enum { kCorrected = 0, kMostPixels = 6, kRegisters = 7 };
  template <class Weight>
  static N2D2_INLINE Weights weights(const Weight* from) {
    return group_of_weights(from, 0);
  }
  static N2D2_INLINE Inputs inputs(const uint8_t* from) { return group(from); }
  static N2D2_INLINE Sums dot(const Sums& s, Inputs x, const Weights& w) {
    const Sums sums = {PackedAvxVnni::dot(s.low, x, w.low), PackedAvxVnni::dot(s.high, x, w.high)};
    return sums;
  }
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t) { return biases(bias, n); }
  static N2D2_INLINE int32_t total(const uint8_t*, int) { return 0; }
};

// Weights are the unsigned operand as in packed_avx512_vnni.hpp.
template <>
struct PackedForm<int8_t> : PackedAvxVnni {
  enum { kCorrected = 1, kMostPixels = 5, kRegisters = 6 };  // one holds -128
  template <class Weight>
  static N2D2_INLINE Weights weights(const Weight* from) {
    return group_of_weights(from, 0x80);
  }
  static N2D2_INLINE Inputs inputs(const int8_t* from) { return group(from); }
  static N2D2_INLINE Sums dot(const Sums& s, Inputs x, const Weights& w) {
    const Sums sums = {PackedAvxVnni::dot(s.low, w.low, x), PackedAvxVnni::dot(s.high, w.high, x)};
    return sums;
  }
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t inputs) {
    Sums s = biases(bias, n);
    s.low -= 128 * inputs, s.high -= 128 * inputs;
    return s;
  }
  static N2D2_INLINE int32_t total(const int8_t* from, int n) {
    int32_t sum = 0;
    for (int i = 0; i < n; ++i) sum += from[i];
    return sum;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
