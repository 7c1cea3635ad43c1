// Answers: how are packed weights multiplied with the instructions that every AArch64 has?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. Bytes of the same sign are multiplied to 16 bits.
// Pairs of products are added in 32 bits, exactly. An output has two sums until the end. Unsigned inputs are
// multiplied with weights that are read as w + 128, as in packed_dotprod.hpp.
// Stack: as lanes_neon.hpp. Scratch: none.
#pragma once

#include "lanes_variants.hpp"

#define N2D2_PACKED_FORM

namespace N2D2_EXPORT_NAMESPACE {

// Vector i holds two sums of output 2 i and two of output 2 i + 1.
struct NeonPairs {
  int32x4_t a, b, c, d, e, f, g, h;
};

template <class In, class Product>
struct PackedNeon : NeonLanes {
  typedef NeonPairs Sums;
  typedef NeonWeights Weights;
  typedef int8x16_t Inputs;
  enum { kMostPixels = 2, kRegisters = 4 };  // 16 sums, a group of weights, inputs, products

  static N2D2_INLINE const char* name() { return "packed_neon"; }

  typedef int32_t Group __attribute__((aligned(1), may_alias));

  static N2D2_INLINE Inputs inputs(const In* from) {
    return vreinterpretq_s8_s32(vdupq_n_s32(*reinterpret_cast<const Group*>(from)));
  }
  static N2D2_INLINE Sums dot(const Sums& s, Inputs x, const Weights& w) {
    const Sums sums = {Product::low(s.a, x, w.a),  Product::high(s.b, x, w.a), Product::low(s.c, x, w.b),
                       Product::high(s.d, x, w.b), Product::low(s.e, x, w.c),  Product::high(s.f, x, w.c),
                       Product::low(s.g, x, w.d),  Product::high(s.h, x, w.d)};
    return sums;
  }
  static N2D2_INLINE Sums pairs(const NeonSums& s) {
    const int32x4_t none = vdupq_n_s32(0);
    const Sums p = {vzip1q_s32(s.a, none), vzip2q_s32(s.a, none), vzip1q_s32(s.b, none),
                    vzip2q_s32(s.b, none), vzip1q_s32(s.c, none), vzip2q_s32(s.c, none),
                    vzip1q_s32(s.d, none), vzip2q_s32(s.d, none)};
    return p;
  }
  static N2D2_INLINE NeonSums whole(const Sums& s) {
    const NeonSums w = {vpaddq_s32(s.a, s.b), vpaddq_s32(s.c, s.d), vpaddq_s32(s.e, s.f),
                        vpaddq_s32(s.g, s.h)};
    return w;
  }
  static N2D2_INLINE void store(const Sums& s, int32_t* to) { NeonLanes::store(whole(s), to); }
};

struct SignedBytes {
  static N2D2_INLINE int32x4_t low(int32x4_t s, int8x16_t x, int8x16_t w) {
    return vpadalq_s16(s, vmull_s8(vget_low_s8(x), vget_low_s8(w)));
  }
  static N2D2_INLINE int32x4_t high(int32x4_t s, int8x16_t x, int8x16_t w) {
    return vpadalq_s16(s, vmull_high_s8(x, w));
  }
};
struct UnsignedBytes {
  static N2D2_INLINE int32x4_t add(int32x4_t s, uint16x8_t products) {
    return vreinterpretq_s32_u32(vpadalq_u16(vreinterpretq_u32_s32(s), products));
  }
  static N2D2_INLINE int32x4_t low(int32x4_t s, int8x16_t x, int8x16_t w) {
    return add(s, vmull_u8(vget_low_u8(vreinterpretq_u8_s8(x)), vget_low_u8(vreinterpretq_u8_s8(w))));
  }
  static N2D2_INLINE int32x4_t high(int32x4_t s, int8x16_t x, int8x16_t w) {
    return add(s, vmull_high_u8(vreinterpretq_u8_s8(x), vreinterpretq_u8_s8(w)));
  }
};

template <>
struct PackedForm<int8_t> : PackedNeon<int8_t, SignedBytes> {
  enum { kCorrected = 0 };
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t) { return pairs(biases(bias, n)); }
  static N2D2_INLINE int32_t total(const int8_t*, int) { return 0; }
};
template <>
struct PackedForm<uint8_t> : PackedNeon<uint8_t, UnsignedBytes> {
  enum { kCorrected = 1 };
  template <class Weight>
  static N2D2_INLINE Weights weights(const Weight* from) {
    return unsigned_weights(from);
  }
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t inputs) {
    return pairs(corrected_biases(bias, n, inputs));
  }
  static N2D2_INLINE int32_t total(const uint8_t* from, int n) {
    uint32x4_t sums = vdupq_n_u32(0);
    int i = 0;
    for (; i + 16 <= n; i += 16) sums = vpadalq_u16(sums, vpaddlq_u8(vld1q_u8(from + i)));
    int32_t sum = static_cast<int32_t>(vaddvq_u32(sums));
    for (; i < n; ++i) sum += from[i];
    return sum;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
