// What is a Padding layer? Zeros around a map, or a crop where negative.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Output N,C, H + top + bottom, W + left + right.
struct Padding final : graph::OperatorBase<Padding> {
  static constexpr const char* kType = "Padding";
  int top = 0, bottom = 0, left = 0, right = 0;

  template <class V>
  static void fields(V&& v) {
    v("TopPadding", &Padding::top, required, help("rows of zeros above; negative crops"));
    v("BottomPadding", &Padding::bottom, required, help("rows below"));
    v("LeftPadding", &Padding::left, required, help("columns on the left"));
    v("RightPadding", &Padding::right, required, help("columns on the right"));
  }
  Pads pads() const { return {left, top, right, bottom}; }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
