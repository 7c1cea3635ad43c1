// Answers: how do kernels for the DSP instructions get the run-time window of a config?
// Part of an exported project; may be used without condition.
//
// It has no config fields of its own; the window of a config of constants is a constant in flash, that of a
// config with members is made at each call. Stack: none of note. Scratch: none.
#pragma once

#include "window.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The window of a depthwise convolution: a group for each channel, and no borders.
template <class C>
N2D2_INLINE constexpr ConvWindow window_of_depthwise(const C& c) {
  return ConvWindow{{c.in_w, c.in_h, c.in_c, c.in_pixel, c.in_row, c.in_ring, c.in_first, c.in_turn},
                    {c.out_w, c.out_h, c.out_c, c.out_pixel, c.out_row, c.out_ring, c.out_first, c.out_turn},
                    3,
                    3,
                    c.stride_x,
                    c.stride_y,
                    1,
                    1,
                    c.pad_x,
                    c.pad_y,
                    c.in_c,
                    c.lo,
                    c.hi,
                    c.shift,
                    c.bottom_up,
                    0,
                    0,
                    0,
                    0};
}

// Whether all fields of a config are constants; such a config has no members.
template <class C>
struct DspConstant {
  struct Behind : C {
    char last;
  };
  enum { kYes = sizeof(Behind) == sizeof(char) };
};

template <class C, bool constant>
struct DspWindow {
  static N2D2_INLINE ConvWindow of(const C& c) { return window_of(c); }
  static N2D2_INLINE ConvWindow of_map(const C& c) { return window_of_map(c); }
  static N2D2_INLINE ConvWindow of_depthwise(const C& c) { return window_of_depthwise(c); }
};
template <class C>
struct DspWindow<C, true> {
  static N2D2_INLINE const ConvWindow& of(const C&) {
    static constexpr ConvWindow kWindow = window_of(C());
    return kWindow;
  }
  static N2D2_INLINE const ConvWindow& of_map(const C&) {
    static constexpr ConvWindow kWindow = window_of_map(C());
    return kWindow;
  }
  static N2D2_INLINE const ConvWindow& of_depthwise(const C&) {
    static constexpr ConvWindow kWindow = window_of_depthwise(C());
    return kWindow;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
