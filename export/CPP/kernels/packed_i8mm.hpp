// Answers: how are packed weights multiplied with the dot products of mixed signs of AArch64 (i8mm)?
// Part of an exported project; may be used without condition.
//
// No config fields; a form of kernels.list. As packed_dotprod.hpp, but unsigned inputs are multiplied with signed weights.
// The instructions for 2 x 8 by 8 x 2 matrices want 8 inputs of an output side by side, which packed weights have not.
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
