// Answers: how many bytes of its own does a call take that computes several layers slice by slice?
// Part of an exported project; may be used without condition.
//
// No config fields. Stack: none. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kSumsAlignment = sizeof(int32_t) };  // the call finds it wherever its bytes begin

// Of conv_bottleneck.hpp: sums of a row of the output, then `window_rows` rows of a slice of the first map between, then one row of
// the second.
N2D2_INLINE constexpr int bottleneck_scratch(int out_w, int out_c, int window_rows, int between_w,
                                             int slice) {
  return kSumsAlignment - 1 + out_w * out_c * static_cast<int>(sizeof(int32_t)) +
         (window_rows * between_w + out_w) * slice;
}

// Of fc_chain.hpp: sums of the outputs, then a slice of the map between.
N2D2_INLINE constexpr int fc_chain_scratch(int out_c, int slice) {
  return kSumsAlignment - 1 + out_c * static_cast<int>(sizeof(int32_t)) + slice;
}

}  // namespace N2D2_EXPORT_NAMESPACE
