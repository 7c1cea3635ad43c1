// What is a value that integers will carry? Rounding to a grid, in floats.
#pragma once

#include <optional>

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// y = s (clamp(rint(x / s) + z, lowest, highest) - z), with the bounds of a Bits-wide integer or narrower
/// ones: what ONNX's QuantizeLinear followed by DequantizeLinear gives, ties to even. s and z are one for all
/// or one a channel.
/// The gradient goes straight through where nothing is clipped.
struct FakeQuantize final : graph::OperatorBase<FakeQuantize> {
  static constexpr const char* kType = "FakeQuantize";
  std::vector<double> scale;
  std::vector<int> zero_point{0};
  int bits = 8;
  bool is_signed = true;
  /// Least and largest integer where fewer are used than the width has; else empty.
  std::vector<int> bounds;

  template <class V>
  static void fields(V&& v) {
    v("Scale", &FakeQuantize::scale, required, help("real value of one step, one or one a channel"));
    v("ZeroPoint", &FakeQuantize::zero_point, help("integer of real 0, one or one a channel"));
    v("Bits", &FakeQuantize::bits, at_least(2), at_most(16), help("width of the integer"));
    v("Signed", &FakeQuantize::is_signed, help("0: from 0 to 2^Bits - 1"));
    v("Bounds", &FakeQuantize::bounds, help("least and largest integer, where they are fewer than Bits has"));
  }

  /// Least and largest q - z of a channel, q being the integer.
  struct Steps {
    int64_t least = 0, most = 0;
  };
  Steps steps(int64_t channel) const;
  /// Float32 s of a channel.
  float step(int64_t channel) const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  std::unique_ptr<graph::Operator> surrogate(std::span<const Tensor* const> in) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
