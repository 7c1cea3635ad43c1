// What is pooling? The maximum or the mean of a window, channel by channel.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

enum class Pooling { Max, Average };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::Pooling> {
  static constexpr std::array names{"Max", "Average"};
};

namespace n2d2::ops {

/// Input N,C,H,W, output N,C,OH,OW with OH = floor((H + top + bottom - KH) / stride) + 1. Padding is zeros to
/// an average, which divides by the taps that count: all of the window, but for those on the outermost
/// `uncounted` rows and columns of the padding. Max ignores padding unless `count_zeros` (a fused Padding).
/// Source: ONNX AveragePool for count_include_pad and ceil_mode.
struct Pool final : graph::OperatorBase<Pool> {
  static constexpr const char* kType = "Pool";
  Dims kernel, stride{1, 1};
  Pads padding;
  Pooling pooling = Pooling::Max;
  bool count_zeros = false;
  Pads uncounted;

  template <class V>
  static void fields(V&& v) {
    v("PoolDims", &Pool::kernel, required, geometry("Pool"), at_least(1), help("window width and height"));
    v("Stride", &Pool::stride, geometry("Stride"), at_least(1), help("step along x and y"));
    v("Padding", &Pool::padding, geometry("Padding"), at_least(0), help("border around the input"));
    v("Pooling", &Pool::pooling, required, help("what is taken of a window"));
    v("CountZeros", &Pool::count_zeros, help("a maximum sees the padding as zeros"));
    v("UncountedPadding", &Pool::uncounted, at_least(0),
      help("outer part of the padding that an average does not divide by"));
  }
  /// The taps that an average at each output row, and column, divides by; their product is that of a pixel.
  std::vector<int64_t> counted_rows(const Shape& in) const;
  std::vector<int64_t> counted_columns(const Shape& in) const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
