// What is a Scaling layer? Each value times one factor, or one factor a channel.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// y = Factor x; a list has one factor for each channel.
struct Scaling final : graph::OperatorBase<Scaling> {
  static constexpr const char* kType = "Scaling";
  std::vector<double> factor;

  template <class V>
  static void fields(V&& v) {
    v("Factor", &Scaling::factor, required, help("one factor, or one a channel"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
