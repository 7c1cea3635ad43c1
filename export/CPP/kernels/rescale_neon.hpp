// Answers: how is a run of 32-bit sums rescaled in the floating-point form on every AArch64?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list. It gives the outputs of the scalar form: convert,
// multiply, round to even, narrow, clamp. Clamping may come last, for bounds are within the type and the rest
// saturates. Stack: none of note. Scratch: none.
#pragma once

#include <arm_neon.h>

#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

struct NeonRescale {
  static N2D2_INLINE int32x4_t four(int32x4_t sums, float32x4_t factor) {
    return vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(sums), factor));
  }
  static N2D2_INLINE int16x8_t eight(int32x4_t low, int32x4_t high) {
    return vqmovn_high_s32(vqmovn_s32(low), high);
  }
  // Clamps where the bounds are not those of the type.
  template <class C>
  static N2D2_INLINE uint8x16_t clamped(const C& c, uint8x16_t y) {
    if (c.lo > 0) y = vmaxq_u8(y, vdupq_n_u8(static_cast<uint8_t>(c.lo)));
    return c.hi < 255 ? vminq_u8(y, vdupq_n_u8(static_cast<uint8_t>(c.hi))) : y;
  }
  template <class C>
  static N2D2_INLINE int8x16_t clamped(const C& c, int8x16_t y) {
    if (c.lo > -128) y = vmaxq_s8(y, vdupq_n_s8(static_cast<int8_t>(c.lo)));
    return c.hi < 127 ? vminq_s8(y, vdupq_n_s8(static_cast<int8_t>(c.hi))) : y;
  }
  template <class C>
  static N2D2_INLINE void store(const C& c, int16x8_t low, int16x8_t high, uint8_t* to) {
    vst1q_u8(to, clamped(c, vqmovun_high_s16(vqmovun_s16(low), high)));
  }
  template <class C>
  static N2D2_INLINE void store(const C& c, int16x8_t low, int16x8_t high, int8_t* to) {
    vst1q_s8(to, clamped(c, vqmovn_high_s16(vqmovn_s16(low), high)));
  }
  // Stores the first half alone.
  template <class C>
  static N2D2_INLINE void store(const C& c, int16x8_t all, uint8_t* to) {
    const uint8x8_t y = vqmovun_s16(all);
    vst1_u8(to, vget_low_u8(clamped(c, vcombine_u8(y, y))));
  }
  template <class C>
  static N2D2_INLINE void store(const C& c, int16x8_t all, int8_t* to) {
    const int8x8_t y = vqmovn_s16(all);
    vst1_s8(to, vget_low_s8(clamped(c, vcombine_s8(y, y))));
  }
};

template <class Out>
struct RescaleBytes {
  template <class C>
  static N2D2_INLINE int32x4_t four(const C& c, const int32_t* sums, const float* factor) {
    return NeonRescale::four(vld1q_s32(sums), c.factor_step ? vld1q_f32(factor) : vld1q_dup_f32(factor));
  }
  template <class C>
  static N2D2_INLINE int16x8_t eight(const C& c, const int32_t* sums, const float* factor) {
    return NeonRescale::eight(four(c, sums, factor), four(c, sums + 4, factor + 4 * c.factor_step));
  }
  template <class C>
  static N2D2_INLINE void run(const C& c, const int32_t* sums, const float* factor, int n, Out* out) {
    int i = 0;
    for (; i + 16 <= n; i += 16)
      NeonRescale::store(c, eight(c, sums + i, factor + i * c.factor_step),
                         eight(c, sums + i + 8, factor + (i + 8) * c.factor_step), out + i);
    if (i + 8 <= n) {
      NeonRescale::store(c, eight(c, sums + i, factor + i * c.factor_step), out + i);
      i += 8;
    }
    for (; i < n; ++i) out[i] = rescale<Out>(c, sums[i], factor[i * c.factor_step]);
  }
};

template <>
struct Rescale<int32_t, float, uint8_t> : RescaleBytes<uint8_t> {};
template <>
struct Rescale<int32_t, float, int8_t> : RescaleBytes<int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE
