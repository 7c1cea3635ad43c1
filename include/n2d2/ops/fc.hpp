// What is a fully connected layer?
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs: data N,C,H,W; weights O, C*H*W with the input flattened as (channel, y, x); optionally biases O.
/// Output N,O,1,1. Source: spec layers 2.3.
struct Fc final : graph::OperatorBase<Fc> {
  static constexpr const char* kType = "Fc";
  int nb_outputs = 0;

  template <class V>
  static void fields(V&& v) {
    v("NbOutputs", &Fc::nb_outputs, required, at_least(1), help("outputs"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override;
};

}  // namespace n2d2::ops
