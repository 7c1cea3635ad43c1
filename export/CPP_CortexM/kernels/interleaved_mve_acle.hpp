// Answers: how do compilers without GNU assembly multiply the windows of 16 channels that are kept apart?
// Part of an exported project; may be used without condition.
//
// It has no config fields; its functions are those of interleaved_mve.hpp, by the intrinsics of arm_mve.h.
// Stack: 200 bytes. Scratch: that of depthwise_mve.hpp.
#pragma once

#include "interleaved_mve.hpp"

#if defined(N2D2_ISA_MVE) && !N2D2_MVE_ASSEMBLY

#include "ends_mve_acle.hpp"

namespace N2D2_EXPORT_NAMESPACE {

N2D2_MVE_SHARED void mve_interleave(int8_t* to, const MveColumns* from) {
  const mve_pred16_t there = vctp8q(static_cast<uint32_t>(from->lanes));
  const uint8x16_t flip = vdupq_n_u8(static_cast<uint8_t>(from->flip));
  for (int column = 0; column < from->columns; ++column) {
    uint8x16x4_t rows;
    for (int k = 0; k < 3; ++k) {
      const uint8_t* at = reinterpret_cast<const uint8_t*>(from->row[k]) + column * from->step[k];
      rows.val[k] = veorq_u8(vldrbq_z_u8(at, there), flip);
    }
    rows.val[3] = flip;
    vst4q_u8(reinterpret_cast<uint8_t*>(to) + column * kMveColumn, rows);
  }
}

// The windows of neighbours are `step` bytes apart.
N2D2_INLINE void mve_sums_apart(const MveWindows* windows, int step) {
  const uint32x4_t taps = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(windows->tap));
  for (int j = 0; j < 4; ++j) {
    const int8_t* const w = windows->weights + 64 * j;
    const int8x16_t w0 = vldrbq_s8(w), w1 = vldrbq_s8(w + 16), w2 = vldrbq_s8(w + 32), w3 = vldrbq_s8(w + 48);
    const int32_t* const bias = windows->bias + 4 * j;
    for (int pixel = 0; pixel < windows->pixels; ++pixel) {
      const int32_t* const at = reinterpret_cast<const int32_t*>(windows->columns + pixel * step) + j;
      int32_t* const sums = windows->sums + pixel * kMveLanes + 4 * j;
      sums[0] = vmladavaq_s8(bias[0], vreinterpretq_s8_s32(vldrwq_gather_offset_s32(at, taps)), w0);
      sums[1] = vmladavaq_s8(bias[1], vreinterpretq_s8_s32(vldrwq_gather_offset_s32(at + 4, taps)), w1);
      sums[2] = vmladavaq_s8(bias[2], vreinterpretq_s8_s32(vldrwq_gather_offset_s32(at + 8, taps)), w2);
      sums[3] = vmladavaq_s8(bias[3], vreinterpretq_s8_s32(vldrwq_gather_offset_s32(at + 12, taps)), w3);
    }
  }
}
N2D2_MVE_SHARED void mve_sums_64(const MveWindows* windows) {
  mve_sums_apart(windows, 64);
}
N2D2_MVE_SHARED void mve_sums_128(const MveWindows* windows) {
  mve_sums_apart(windows, 128);
}

template <class Factor, class Out>
struct MveAcleStored {
  typedef MveScale<Factor> Scale;

  static N2D2_MVE_SHARED void run(const MveOutputs* to) {
    const Factor* const factor = static_cast<const Factor*>(to->factor);
    const mve_pred16_t there = vctp8q(static_cast<uint32_t>(to->lanes));
    for (int pixel = 0; pixel < to->pixels; ++pixel) {
      const int32_t* const sums = to->sums + pixel * kMveLanes;
      int32x4_t v[4];
      for (int j = 0; j < 4; ++j) v[j] = Scale::run(vldrwq_s32(sums + 4 * j), Scale::load(factor + 4 * j));
      mve_narrow(v, static_cast<Out*>(to->out) + pixel * to->step, there);
    }
  }
};

template <>
struct MveStored<int32_t, uint8_t> : MveAcleStored<int32_t, uint8_t> {};
template <>
struct MveStored<int32_t, int8_t> : MveAcleStored<int32_t, int8_t> {};
#if __ARM_FEATURE_MVE & 2
template <>
struct MveStored<float, uint8_t> : MveAcleStored<float, uint8_t> {};
template <>
struct MveStored<float, int8_t> : MveAcleStored<float, int8_t> {};
#endif

}  // namespace N2D2_EXPORT_NAMESPACE

#endif
