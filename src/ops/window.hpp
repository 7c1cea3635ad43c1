// Which inputs does a sliding window see? The geometry that convolution and pooling share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "n2d2/base/fields.hpp"
#include "n2d2/tensor/shape.hpp"

namespace n2d2::ops {

/// One axis of a sliding window, in pixels. Tap k of output o lies on input o * stride + k * dilation -
/// before; inputs outside [0, in) are padding.
struct Axis {
  int64_t in = 1;
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;

  int64_t padded() const { return in + before + after; }
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  int64_t out() const { return (padded() - extent()) / stride + 1; }
  int64_t position(int64_t o, int64_t k) const { return o * stride + k * dilation - before; }
  bool sees(int64_t o, int64_t k) const { return position(o, k) >= 0 && position(o, k) < in; }
  /// No tap of output o is padding.
  bool is_inside(int64_t o) const { return sees(o, 0) && sees(o, kernel - 1); }
  /// Outputs whose tap k is not padding: [first(k), last(k)).
  int64_t first(int64_t k) const {
    const int64_t missing = before - k * dilation;
    return missing <= 0 ? 0 : (missing + stride - 1) / stride;
  }
  int64_t last(int64_t k) const {
    const int64_t room = in - 1 + before - k * dilation;
    return room < 0 ? 0 : std::min(out(), room / stride + 1);
  }
};

struct Window {
  Axis x, y;
  int64_t in_pixels() const { return x.in * y.in; }
  int64_t out_pixels() const { return x.out() * y.out(); }

  /// Calls row(out, in, count) for each output row whose tap (ky, kx) is not padding: outputs out, out + 1,
  /// ... read inputs in, in + x.stride, ... (indices into one channel's plane).
  template <class Row>
  void for_rows(int64_t ky, int64_t kx, Row&& row) const {
    const int64_t x0 = x.first(kx), count = x.last(kx) - x0, width = x.out();
    if (count <= 0) return;
    for (int64_t oy = y.first(ky); oy < y.last(ky); ++oy)
      row(oy * width + x0, y.position(oy, ky) * x.in + x.position(x0, kx), count);
  }
};

/// ModelError when a kernel or a step is below 1, a pad is negative, or one of them above 2^24.
void expect_steps(Dims kernel, Dims stride, Dims dilation, const Pads& padding);

/// The window over a map N,C,H,W. ModelError as expect_steps(), and when the kernel is larger than the
/// padded map.
Window make_window(const Shape& map, Dims kernel, Dims stride, Dims dilation, const Pads& padding);

}  // namespace n2d2::ops
