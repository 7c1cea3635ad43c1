// What is a rectifier whose slope below zero is a parameter?
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs: data N,C,H,W; slopes of rank 4, each extent that of the data or 1 (1,C,1,1: one a channel).
/// y = x > 0 ? x : slope x. In integers input 1 is a table of all values, a row for each channel where slopes
/// differ.
/// Source: He et al. 2015, equation 1.
struct PRelu final : graph::OperatorBase<PRelu> {
  static constexpr const char* kType = "PRelu";

  template <class V>
  static void fields(V&&) {}

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override { return slot == 1 ? "slopes" : ""; }
};

}  // namespace n2d2::ops
