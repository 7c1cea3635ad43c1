// Answers: how do compilers without GNU assembly gather windows and multiply them with weights?
// Part of an exported project; may be used without condition.
//
// It has no config fields; its functions are those of tile_mve.hpp, by the intrinsics of arm_mve.h.
// Stack: 100 bytes. Scratch: none of its own.
#pragma once

#include "tile_mve.hpp"

#if defined(N2D2_ISA_MVE) && !N2D2_MVE_ASSEMBLY

#include <arm_mve.h>

namespace N2D2_EXPORT_NAMESPACE {

N2D2_MVE_SHARED void mve_copy(void* to, const void* from, const MveCopy* copy) {
  const uint8x16_t flip = vdupq_n_u8(static_cast<uint8_t>(copy->flip));
  for (int window = 0; window < copy->windows; ++window) {
    uint8_t* t = static_cast<uint8_t*>(to) + window * copy->to_window;
    const uint8_t* f = static_cast<const uint8_t*>(from) + window * copy->from_window;
    for (int row = 0; row < copy->rows; ++row, t += copy->to_row, f += copy->from_row)
      for (int done = 0; done < copy->bytes; done += kMveStep) {
        const mve_pred16_t there = vctp8q(static_cast<uint32_t>(copy->bytes - done));
        vstrbq_p_u8(t + done, veorq_u8(vldrbq_z_u8(f + done, there), flip), there);
      }
  }
}

N2D2_MVE_SHARED void mve_fill(void* to, int n, int value) {
  const uint8x16_t all = vdupq_n_u8(static_cast<uint8_t>(value));
  for (int done = 0; done < n; done += kMveStep)
    vstrbq_p_u8(static_cast<uint8_t*>(to) + done, all, vctp8q(static_cast<uint32_t>(n - done)));
}

N2D2_MVE_SHARED void mve_tile2(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums,
                               int groups, int steps) {
  for (; groups > 0; --groups, bias += kMveGroup, sums += kMveGroup) {
    int32_t a0 = bias[0], a1 = bias[1], a2 = bias[2], a3 = bias[3], b0 = a0, b1 = a1, b2 = a2, b3 = a3;
    const int8_t* at = x;
    for (int step = 0; step < steps; ++step, at += kMveStep, weights += kMveGroup * kMveStep) {
      const int8x16_t first = vldrbq_s8(at), second = vldrbq_s8(at + steps * kMveStep);
      int8x16_t w = vldrbq_s8(weights);
      a0 = vmladavaq_s8(a0, first, w), b0 = vmladavaq_s8(b0, second, w);
      w = vldrbq_s8(weights + kMveStep);
      a1 = vmladavaq_s8(a1, first, w), b1 = vmladavaq_s8(b1, second, w);
      w = vldrbq_s8(weights + 2 * kMveStep);
      a2 = vmladavaq_s8(a2, first, w), b2 = vmladavaq_s8(b2, second, w);
      w = vldrbq_s8(weights + 3 * kMveStep);
      a3 = vmladavaq_s8(a3, first, w), b3 = vmladavaq_s8(b3, second, w);
    }
    sums[0] = a0, sums[1] = a1, sums[2] = a2, sums[3] = a3;
    int32_t* const behind = sums + kMveOutputs;
    behind[0] = b0, behind[1] = b1, behind[2] = b2, behind[3] = b3;
  }
}

N2D2_MVE_SHARED void mve_tile1(const int8_t* x, const int8_t* weights, const int32_t* bias, int32_t* sums,
                               int groups, int steps) {
  for (; groups > 0; --groups, bias += kMveGroup, sums += kMveGroup) {
    int32_t a0 = bias[0], a1 = bias[1], a2 = bias[2], a3 = bias[3];
    for (int step = 0; step < steps; ++step, weights += kMveGroup * kMveStep) {
      const int8x16_t first = vldrbq_s8(x + step * kMveStep);
      a0 = vmladavaq_s8(a0, first, vldrbq_s8(weights));
      a1 = vmladavaq_s8(a1, first, vldrbq_s8(weights + kMveStep));
      a2 = vmladavaq_s8(a2, first, vldrbq_s8(weights + 2 * kMveStep));
      a3 = vmladavaq_s8(a3, first, vldrbq_s8(weights + 3 * kMveStep));
    }
    sums[0] = a0, sums[1] = a1, sums[2] = a2, sums[3] = a3;
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE

#endif
