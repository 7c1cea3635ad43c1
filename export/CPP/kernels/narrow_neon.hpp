// Answers: how are groups of narrow weights loaded with the vectors of AArch64?
// Part of an exported project; may be used without condition.
//
// It has no config fields; lanes_neon.hpp includes it. Stack, Scratch: none.
#pragma once

#include <arm_neon.h>

#include "packed.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// A group of weights; each vector holds 4 inputs of 4 outputs.
struct NeonWeights {
  int8x16_t a, b, c, d;
};

// Returns the vectors of a group with its fields on top of their bytes.
template <int kBits>
struct FieldsNeon;
template <>
struct FieldsNeon<4> {
  static N2D2_INLINE uint8x16x4_t load(const uint8_t* from) {
    const uint8x16_t low = vld1q_u8(from), high = vld1q_u8(from + 16);
    const uint8x16x4_t g = {{vshlq_n_u8(low, 4), vshlq_n_u8(high, 4), low, high}};
    return g;
  }
};
template <>
struct FieldsNeon<2> {
  static N2D2_INLINE uint8x16x4_t load(const uint8_t* from) {
    const uint8x16_t bytes = vld1q_u8(from);
    const uint8x16x4_t g = {{vshlq_n_u8(bytes, 6), vshlq_n_u8(bytes, 4), vshlq_n_u8(bytes, 2), bytes}};
    return g;
  }
};
template <>
struct FieldsNeon<1> {
  static N2D2_INLINE uint8x16x4_t load(const uint8_t* from) {
    const uint8x8_t fields = vld1_u8(from);
    const uint8x16_t bytes = vcombine_u8(vshl_n_u8(fields, 1), fields);  // every other field
    const uint8x16x4_t g = {{vshlq_n_u8(bytes, 6), vshlq_n_u8(bytes, 4), vshlq_n_u8(bytes, 2), bytes}};
    return g;
  }
};

// Returns a group of weights, each as its bits that differ from `flipped`.
N2D2_INLINE int8x16_t flipped_weights(int8x16_t w, int flipped) {
  return flipped == 0 ? w : veorq_s8(w, vdupq_n_s8(static_cast<int8_t>(flipped)));
}
N2D2_INLINE NeonWeights group_of_weights(const int8_t* from, int flipped) {
  const NeonWeights w = {
      flipped_weights(vld1q_s8(from), flipped), flipped_weights(vld1q_s8(from + 16), flipped),
      flipped_weights(vld1q_s8(from + 32), flipped), flipped_weights(vld1q_s8(from + 48), flipped)};
  return w;
}
template <int kBits, int kOdd>
N2D2_INLINE NeonWeights group_of_weights(const Narrow<kBits, kOdd>* from, int flipped) {
  typedef Narrow<kBits, kOdd> Weights;
  const uint8x16_t mask = vdupq_n_u8(static_cast<uint8_t>(Weights::kMask));
  const uint8x16x4_t f = FieldsNeon<kBits>::load(&from->fields);
  flipped ^= Weights::kFlipped;
  const NeonWeights w = {flipped_weights(vreinterpretq_s8_u8(vandq_u8(f.val[0], mask)), flipped),
                         flipped_weights(vreinterpretq_s8_u8(vandq_u8(f.val[1], mask)), flipped),
                         flipped_weights(vreinterpretq_s8_u8(vandq_u8(f.val[2], mask)), flipped),
                         flipped_weights(vreinterpretq_s8_u8(vandq_u8(f.val[3], mask)), flipped)};
  return w;
}

}  // namespace N2D2_EXPORT_NAMESPACE
