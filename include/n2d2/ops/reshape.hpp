// What is a reshape? The same values in the same order (channel, y, x) under other extents.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Dims in X Y Z [B] order: 0 keeps the input's extent, -1 (once) takes what is left; the batch stays.
struct Reshape final : graph::OperatorBase<Reshape> {
  static constexpr const char* kType = "Reshape";
  std::vector<int> dims;

  template <class V>
  static void fields(V&& v) {
    v("Dims", &Reshape::dims, required, at_least(-1), help("extents X Y Z [B]; 0 keeps, -1 is inferred"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

/// The Reshape to a map of these extents.
std::unique_ptr<Reshape> reshape_to(const Shape& shape);

}  // namespace n2d2::ops
