// Answers: how does a fully connected layer compute on MVE instructions (Cortex-M55, M85)?
// Part of an exported project; may be used without condition.
//
// The bytes are those of fc.hpp. It is the convolution of conv2d_mve.hpp whose kernel is the map, with the
// same arrays for groups = 1 and K = in_h * in_w * in_c. Config fields are those of fc.hpp; packed,
// parallel, small_factors and factor_step are not read; lo and hi are the bounds of the output's type,
// factors are floats, or int32_t with shift 32.
// Scratch, at any address: kMveScratchSpare + kMveSumsBytes + K up to a multiple of 16. Stack: at most 512
// bytes, with its call tree.
#pragma once

#include "conv2d_mve.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Computes the one pixel of a window that is the map.
N2D2_MVE_SHARED void mve_map(const ConvWindow& w, MveCall& call) {
  call.c = w.in.c, call.outputs = w.out.c, call.steps = mve_steps(w.kernel_h * w.kernel_w * w.in.c);
  if (!w.in.dense()) return mve_any_tile(w, call, 0, 0, false);
  const MveCopy copy = {w.in.h * w.in.w * w.in.c, 1, 0, 0, 1, 0, 0, call.flip};
  mve_copy(call.windows, call.in, &copy);
  mve_outputs(call, call.windows, call.bias, call.out, 0);
}

template <class C, class In, class Out, class Weight, class Factor>
N2D2_INLINE void fc_mve(const C& c, Rows rows, const In* in, Out* out, const Weight* weights,
                        const int32_t* bias, const Factor* factor, void* scratch) {
  if (rows.count < 1) return;
  const MveWindow<MveOfMap, C> window(c);
  MveCall call = mve_call(in, out, weights, bias, factor, scratch);
  mve_map(window.get(), call);
}

}  // namespace N2D2_EXPORT_NAMESPACE
