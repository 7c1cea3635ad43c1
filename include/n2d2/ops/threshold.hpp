// What is a threshold? Each value against one number, and what becomes of it on either side.
#pragma once

#include <optional>

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

enum class ThresholdOperation { Binary, BinaryInverted, Truncate, ToZero, ToZeroInverted };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::ThresholdOperation> {
  static constexpr std::array names{"Binary", "BinaryInverted", "Truncate", "ToZero", "ToZeroInverted"};
};

namespace n2d2::ops {

/// Input and output N,C,H,W; with T = Threshold and M = MaxValue:
///   Binary          x > T ? M : 0        Truncate        x > T ? T : x
///   BinaryInverted  x > T ? 0 : M        ToZero          x > T ? x : 0
///                                        ToZeroInverted  x > T ? 0 : x
/// The gradient is the derivative off the threshold: 0 wherever the output is constant.
/// In integers a table of all values; input 1 is that table then.
struct Threshold final : graph::OperatorBase<Threshold> {
  static constexpr const char* kType = "Threshold";
  double threshold = 0, max_value = 1;
  ThresholdOperation operation = ThresholdOperation::Binary;

  template <class V>
  static void fields(V&& v) {
    v("Threshold", &Threshold::threshold, required, help("what values are compared with"));
    v("Operation", &Threshold::operation, in_config, help("what becomes of both sides"));
    v("MaxValue", &Threshold::max_value, in_config, help("the value that Binary and BinaryInverted set"));
  }
  /// Returns the value that inputs above the threshold become; nothing where these inputs stay unchanged.
  std::optional<double> above() const;
  /// Returns the value that inputs not above the threshold become; nothing where these inputs stay unchanged.
  std::optional<double> below() const;
  double value(double x) const { return (x > threshold ? above() : below()).value_or(x); }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::string_view input_role(size_t slot) const override { return slot == 1 ? "table" : ""; }
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
