// What is the logarithm of a softmax? Log-probabilities over the channels of each position.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// y = x - max - ln(sum of e^(x - max)), per position over channels.
struct LogSoftmax final : graph::OperatorBase<LogSoftmax> {
  static constexpr const char* kType = "LogSoftmax";

  template <class V>
  static void fields(V&&) {}

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
