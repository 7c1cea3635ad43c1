// What is the logarithm of a softmax? Log-probabilities over the channels of each position.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// y = x - max - ln(sum of e^(x - max)), per position over channels.
///
/// In integers input 1 is a table of two rows. Row 0 has the powers E[d] of a Softmax, d being the distance
/// to the largest value, then zeros. Row 1 has L(S) = kOne ln(S / E[0]) / step over sums S of powers, from
/// E[0] on, 64 entries an octave, between them on lines. y is rescaled from -(kOne d + L(S)), in units of
/// step / kOne.
struct LogSoftmax final : graph::OperatorBase<LogSoftmax> {
  static constexpr const char* kType = "LogSoftmax";
  static constexpr int64_t kOne = 256;

  template <class V>
  static void fields(V&&) {}

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
