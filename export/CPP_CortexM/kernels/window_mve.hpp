// Answers: where does a kernel for MVE keep the window of a layer, and how does it gather one window?
// Part of an exported project; may be used without condition.
//
// It has no config fields; conv2d_mve.hpp, fc_mve.hpp and depthwise_mve.hpp share it.
// Stack: 80 bytes and what tile_mve.hpp takes. Scratch: none of its own.
#pragma once

#include "tile_mve.hpp"
#include "window.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Which window of a config a layer has.
struct MveOfLayer {
  template <class C>
  static N2D2_INLINE constexpr ConvWindow window(const C& c) {
    return window_of(c);
  }
};
struct MveOfMap {
  template <class C>
  static N2D2_INLINE constexpr ConvWindow window(const C& c) {
    return window_of_map(c);
  }
};
// Depthwise: groups of one channel, no borders.
struct MveOfChannels {
  template <class C>
  static N2D2_INLINE constexpr ConvWindow window(const C& c) {
    return ConvWindow{
        {c.in_w, c.in_h, c.in_c, c.in_pixel, c.in_row, c.in_ring, c.in_first, c.in_turn},
        {c.out_w, c.out_h, c.out_c, c.out_pixel, c.out_row, c.out_ring, c.out_first, c.out_turn},
        c.kernel_w,
        c.kernel_h,
        c.stride_x,
        c.stride_y,
        c.dilation_x,
        c.dilation_y,
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
};

// The window of a config: a constant in flash where all fields are constants, else a member.
template <class C>
struct MveIsConstant {
  struct Behind : C {
    char last;
  };
  enum { kYes = sizeof(Behind) == sizeof(char) };
};
template <class Kind, class C, bool constant = MveIsConstant<C>::kYes>
struct MveWindow {
  ConvWindow kept;
  N2D2_INLINE explicit MveWindow(const C& c) : kept(Kind::window(c)) {}
  N2D2_INLINE const ConvWindow& get() const { return kept; }
};
template <class Kind, class C>
struct MveWindow<Kind, C, true> {
  N2D2_INLINE explicit MveWindow(const C&) {}
  N2D2_INLINE const ConvWindow& get() const {
    static constexpr ConvWindow kWindow = Kind::window(C());
    return kWindow;
  }
};

// Returns how many of `count` rows, `step` rows apart from row y on, come before the view wraps.
N2D2_INLINE int mve_rows_before_wrap(const Plane& plane, int y, int step, int count) {
  return plane.ring == 0 ? count : smaller(count, (plane.ring - plane.position(y) + step - 1) / step);
}

// Taps [first, end) along an axis are on the map.
struct MveTaps {
  int first, end;
};
N2D2_INLINE MveTaps mve_taps(int start, int taps, int dilation, int size) {
  MveTaps t = {0, taps};
  while (t.first < taps && start + t.first * dilation < 0) ++t.first;
  while (t.end > t.first && start + (t.end - 1) * dilation >= size) --t.end;
  return t;
}

// Whether the taps of a kernel row are one run of bytes; c channels of each tap are read.
N2D2_INLINE bool mve_taps_are_run(const ConvWindow& w, int c) {
  return w.kernel_w == 1 || (w.dilation_x == 1 && w.in.pixel == c);
}

// Gathers the window of output pixel (x, y), c channels from `in` on, wherever it lies: bytes XOR `flip`,
// and `flip` for taps outside the map.
N2D2_MVE_SHARED void mve_gather(const ConvWindow& w, const int8_t* in, int c, int flip, int y, int x,
                                int8_t* to) {
  const int y0 = y * w.stride_y - w.pad_y, x0 = x * w.stride_x - w.pad_x;
  const int row = w.kernel_w * c;
  const MveTaps ky = mve_taps(y0, w.kernel_h, w.dilation_y, w.in.h);
  const MveTaps kx = mve_taps(x0, w.kernel_w, w.dilation_x, w.in.w);
  const int taps = kx.end - kx.first;
  if (ky.end - ky.first < w.kernel_h || taps < w.kernel_w) mve_fill(to, w.kernel_h * row, flip);
  if (taps == 0) return;
  const bool run = mve_taps_are_run(w, c);
  MveCopy copy = {run ? taps * c : c, taps, 0, 0, 1, 0, 0, flip};
  copy.from_row = static_cast<int>(run ? w.dilation_y * w.in.row : w.dilation_x * w.in.pixel);
  copy.to_row = run ? row : c;
  for (int k = ky.first, rows = 0; k < ky.end; k += rows) {
    const int iy = y0 + k * w.dilation_y;
    rows = run ? mve_rows_before_wrap(w.in, iy, w.dilation_y, ky.end - k) : 1;
    if (run) copy.rows = rows;
    mve_copy(to + k * row + kx.first * c, in + w.in.row_at(iy) + w.in.pixel_at(x0 + kx.first * w.dilation_x),
             &copy);
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
