// Answers: how are packed weights multiplied with the dot products of mixed signs of AArch64 (i8mm)?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. It is as packed_dotprod.hpp, but multiplies unsigned
// inputs with signed weights. (Instructions for 2 x 8 by 8 x 2 matrices need 8 inputs of an output together.)
// Stack: as lanes_neon.hpp. Scratch: none.
#pragma once

#include "lanes_variants.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct MixedProduct {
  static N2D2_INLINE const char* name() { return "packed_i8mm"; }
  template <int lane>
  static N2D2_INLINE int32x4_t dot(int32x4_t s, int8x16_t w, int8x16_t x) {
    return vsudotq_laneq_s32(s, w, vreinterpretq_u8_s8(x), lane);
  }
};
template <>
struct PackedForm<uint8_t> : PackedLanes<uint8_t, MixedProduct> {
  enum { kCorrected = 0 };
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t) { return biases(bias, n); }
  static N2D2_INLINE int32_t total(const uint8_t*, int) { return 0; }
};

}  // namespace N2D2_EXPORT_NAMESPACE
