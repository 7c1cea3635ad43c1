// Answers: how are packed weights multiplied with the dot products of AArch64 (dotprod)?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. Both operands of an instruction have the same sign.
// Signed inputs are multiplied as they are (lanes_dotprod.hpp). With unsigned ones the weights are read as w
// + 128, and 128 times the sum of a window's inputs is subtracted from its biases. This holds for any piece
// of a window, where inputs less 128 would need the sum of the weights of that piece.
// Stack: as lanes_neon.hpp. Scratch: none.
#pragma once

#include "lanes_variants.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct UnsignedProduct {
  static N2D2_INLINE const char* name() { return "packed_dotprod"; }
  template <int lane>
  static N2D2_INLINE int32x4_t dot(int32x4_t s, int8x16_t w, int8x16_t x) {
    return vreinterpretq_s32_u32(
        vdotq_laneq_u32(vreinterpretq_u32_s32(s), vreinterpretq_u8_s8(w), vreinterpretq_u8_s8(x), lane));
  }
};
template <>
struct PackedForm<uint8_t> : PackedLanes<uint8_t, UnsignedProduct> {
  // One register holds the bits that make weights unsigned; with 5 pixels g++ copies sums between registers.
  enum { kCorrected = 1, kMostPixels = 4, kRegisters = 6 };
  template <class Weight>
  static N2D2_INLINE Weights weights(const Weight* from) {
    return unsigned_weights(from);
  }
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t inputs) {
    return corrected_biases(bias, n, inputs);
  }
  static N2D2_INLINE int32_t total(const uint8_t* from, int n) {
    const uint8x16_t ones = vdupq_n_u8(1);
    uint32x4_t sums = vdupq_n_u32(0);
    int i = 0;
    for (; i + 16 <= n; i += 16) sums = vdotq_u32(sums, vld1q_u8(from + i), ones);
    int32_t sum = static_cast<int32_t>(vaddvq_u32(sums));
    for (; i < n; ++i) sum += from[i];
    return sum;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
