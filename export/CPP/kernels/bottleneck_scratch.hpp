// Answers: how many bytes of its own does a call of conv_bottleneck.hpp take?
// Part of an exported project; may be used without condition.
//
// No config fields. Stack: none. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kBottleneckAlignment = sizeof(int32_t) };  // of the sums; the call finds it wherever its bytes begin

// Sums of a row of the output, then `window_rows` rows of a slice of the first map between, then one row of the second.
N2D2_INLINE constexpr int bottleneck_scratch(int out_w, int out_c, int window_rows, int between_w,
                                             int slice) {
  return kBottleneckAlignment - 1 + out_w * out_c * static_cast<int>(sizeof(int32_t)) +
         (window_rows * between_w + out_w) * slice;
}

}  // namespace N2D2_EXPORT_NAMESPACE
