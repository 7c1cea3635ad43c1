// Which function has the gradient that an operator that rounds gives? What its rounding adds is held.
#pragma once

#include <functional>

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// y = step (q_i) outside the grid, x + step (q_i - x_i / step) of the point inside, with `held[i]` in
/// parentheses and the step a function of input 1, where there is one.
struct HeldRounding final : graph::OperatorBase<HeldRounding> {
  static constexpr const char* kType = "HeldRounding";
  std::vector<char> is_inside;
  std::vector<double> held;
  std::function<double(float)> step;  ///< empty: 1

  template <class V>
  static void fields(V&&) {}

  std::vector<Shape> infer(std::span<const Shape> in) const override { return {in[0]}; }
  void forward(const graph::ForwardArgs& args) const override;
};

}  // namespace n2d2::ops
