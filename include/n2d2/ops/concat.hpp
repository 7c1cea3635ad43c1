// What is a concatenation? Channels of several inputs one after the other.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs N,C_i,H,W of equal H and W; output N, sum of C_i, H, W.
struct Concat final : graph::OperatorBase<Concat> {
  static constexpr const char* kType = "Concat";
  template <class V>
  static void fields(V&&) {}

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
