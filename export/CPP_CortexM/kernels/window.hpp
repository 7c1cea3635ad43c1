// Answers: what does a kernel for Cortex-M know of the windows of a layer at run time?
// Part of an exported project; may be used without condition.
//
// The kernels of this folder are compiled once for all layers of a network: the inner loops know no shape. A
// layer passes its config (conv.hpp, fc.hpp), whose fields become the members of one constant in flash.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The members are the config fields of conv.hpp with the same names.
struct ConvWindow {
  Plane in, out;
  int kernel_w, kernel_h, stride_x, stride_y, dilation_x, dilation_y, pad_x, pad_y, groups;
  int lo, hi, shift, bottom_up;
  int border_top, border_bottom, border_left, border_right;
};

// Returns the first multiple of 16 from an address on. A kernel that needs such scratch has 15 bytes more.
N2D2_INLINE uint8_t* aligned_scratch(void* scratch) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(scratch);
  return static_cast<uint8_t*>(scratch) + (-at & 15);
}

// The window of a convolution.
template <class C>
N2D2_INLINE constexpr ConvWindow window_of(const C& c) {
  return ConvWindow{{c.in_w, c.in_h, c.in_c, c.in_pixel, c.in_row, c.in_ring, c.in_first, c.in_turn},
                    {c.out_w, c.out_h, c.out_c, c.out_pixel, c.out_row, c.out_ring, c.out_first, c.out_turn},
                    c.kernel_w,
                    c.kernel_h,
                    c.stride_x,
                    c.stride_y,
                    c.dilation_x,
                    c.dilation_y,
                    c.pad_x,
                    c.pad_y,
                    c.groups,
                    c.lo,
                    c.hi,
                    c.shift,
                    c.bottom_up,
                    c.border_top,
                    c.border_bottom,
                    c.border_left,
                    c.border_right};
}

// The window of a fully connected layer: the whole map, one output pixel.
template <class C>
N2D2_INLINE constexpr ConvWindow window_of_map(const C& c) {
  return ConvWindow{{c.in_w, c.in_h, c.in_c, c.in_pixel, c.in_row, c.in_ring, c.in_first, c.in_turn},
                    {1, 1, c.out_c, c.out_c, c.out_c, 0, 0, 0},
                    c.in_w,
                    c.in_h,
                    1,
                    1,
                    1,
                    1,
                    0,
                    0,
                    1,
                    c.lo,
                    c.hi,
                    c.shift,
                    0,
                    0,
                    0,
                    0,
                    0};
}

}  // namespace N2D2_EXPORT_NAMESPACE
