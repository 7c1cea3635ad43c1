// Answers: how do the forms for AArch64 hold 16 sums and load their operands?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list that others include.
// Stack: 64 bytes, where a block has fewer than 16 outputs. Scratch: none.
#pragma once

#include <arm_neon.h>

#include "narrow_neon.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Sums of outputs 0 to 3, 4 to 7, 8 to 11, 12 to 15.
struct NeonSums {
  int32x4_t a, b, c, d;
};

struct NeonLanes {
  enum { kRate = 50000 };
  template <class Weight>
  static N2D2_INLINE NeonWeights weights(const Weight* from) {
    return group_of_weights(from, 0);
  }
  // Returns a group of weights as w + 128, to be read as unsigned.
  template <class Weight>
  static N2D2_INLINE NeonWeights unsigned_weights(const Weight* from) {
    return group_of_weights(from, 0x80);
  }
  // Returns n biases, followed by zeros.
  static N2D2_INLINE NeonSums biases(const int32_t* bias, int n) {
    int32_t some[kPackedOutputs] = {};
    if (n < kPackedOutputs) {
      for (int i = 0; i < n; ++i) some[i] = bias[i];
      bias = some;
    }
    const NeonSums s = {vld1q_s32(bias), vld1q_s32(bias + 4), vld1q_s32(bias + 8), vld1q_s32(bias + 12)};
    return s;
  }
  // Returns n biases less what weights that are read as w + 128 add for this sum of inputs.
  static N2D2_INLINE NeonSums corrected_biases(const int32_t* bias, int n, int32_t inputs) {
    const int32x4_t less = vdupq_n_s32(static_cast<int32_t>(128u * static_cast<uint32_t>(inputs)));
    NeonSums s = biases(bias, n);
    s.a = vsubq_s32(s.a, less), s.b = vsubq_s32(s.b, less);
    s.c = vsubq_s32(s.c, less), s.d = vsubq_s32(s.d, less);
    return s;
  }
  static N2D2_INLINE void store(const NeonSums& s, int32_t* to) {
    vst1q_s32(to, s.a), vst1q_s32(to + 4, s.b), vst1q_s32(to + 8, s.c), vst1q_s32(to + 12, s.d);
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
