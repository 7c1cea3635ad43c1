// What is dropout? While learning, values dropped with a probability and the others scaled up.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inverted dropout: kept values are divided by 1 - Dropout; identity when not training.
struct Dropout final : graph::OperatorBase<Dropout> {
  static constexpr const char* kType = "Dropout";
  double probability = 0.5;

  template <class V>
  static void fields(V&& v) {
    v("Dropout", &Dropout::probability, in_config, at_least(0), at_most(0.999),
      help("probability of a drop"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
