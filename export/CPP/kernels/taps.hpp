// Answers: which input pixels does a window of a layer that keeps channels apart (depthwise, pool) touch?
// Part of an exported project; may be used without condition.
//
// Config fields: pad_value, what elements outside the map are; a config without it has 0. A layer visits a
// window in groups of T taps, so that one pass over a block of channels adds (or compares) T taps. Taps
// outside the input are left out.
// Stack: below kStackBytes (plane.hpp) with the layer's block of channels. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// What elements outside the map are.
N2D2_OPTIONAL_FIELD(int, pad_value, pad_value)

// The taps [first, end) along one axis that are inside `size`, for a window that begins at `start`.
struct Inside {
  int first, end;
};
N2D2_INLINE Inside inside(int start, int taps, int dilation, int size) {
  const int before = start < 0 ? (dilation - 1 - start) / dilation : 0;
  const int end = size > start ? (size - start + dilation - 1) / dilation : 0;
  const Inside i = {before, smaller(end, taps)};
  return i;
}

// The taps of one output pixel.
struct Window {
  Inside x, y;
  int x0, y0, w, dilation_x, dilation_y;

  N2D2_INLINE int taps() const {
    return x.first < x.end && y.first < y.end ? (x.end - x.first) * (y.end - y.first) : 0;
  }
  N2D2_INLINE bool whole(int h) const { return x.end - x.first == w && y.end - y.first == h; }
};

template <class C>
N2D2_INLINE Window window_at(const C& c, int w, int h, int dilation_x, int dilation_y, int oy, int ox) {
  const int y0 = oy * c.stride_y - c.pad_y;
  const int x0 = ox * c.stride_x - c.pad_x;
  const Window window = {inside(x0, w, dilation_x, c.in_w),
                         inside(y0, h, dilation_y, c.in_h),
                         x0,
                         y0,
                         w,
                         dilation_x,
                         dilation_y};
  return window;
}

// The addresses of T taps of a window; if it has fewer, the first one is repeated. `count` of them count.
template <int T, class In>
struct TapGroup {
  const In* x[T];
  int tap[T];
  int count;
};

// Calls use(group) for each group of T taps; x[t] is the input at tap[t] = ky * w + kx from channel 0 on.
template <int T, class In, class Use>
N2D2_INLINE void for_taps(const Plane& src, const Window& window, const In* in, const Use& use) {
  TapGroup<T, In> group = TapGroup<T, In>();
  for (int ky = window.y.first; ky < window.y.end; ++ky) {
    const In* x = in + src.row_at(window.y0 + ky * window.dilation_y) +
                  src.pixel_at(window.x0 + window.x.first * window.dilation_x);
    for (int kx = window.x.first; kx < window.x.end; ++kx, x += window.dilation_x * src.pixel) {
      group.x[group.count] = x;
      group.tap[group.count] = ky * window.w + kx;
      if (++group.count == T) {
        use(group);
        group.count = 0;
      }
    }
  }
  if (group.count == 0) return;
  for (int t = group.count; t < T; ++t) group.x[t] = group.x[0], group.tap[t] = group.tap[0];
  use(group);
}

}  // namespace N2D2_EXPORT_NAMESPACE
