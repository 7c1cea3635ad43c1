// What is a Transpose? The same values with axes in another order.
#pragma once

#include <array>

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Axis i of the output is axis Perm[i] of the input; 0 = X, 1 = Y, 2 = Z, 3 = the batch, which stays last
/// and may be left out.
struct Transpose final : graph::OperatorBase<Transpose> {
  static constexpr const char* kType = "Transpose";
  std::vector<int> perm;

  template <class V>
  static void fields(V&& v) {
    v("Perm", &Transpose::perm, required, at_least(0), at_most(3),
      help("input axis of each output axis: 0 = X, 1 = Y, 2 = Z, 3 = batch (last)"));
  }

  /// The input axis, 1 = C, 2 = H, 3 = W, of each output axis C, H, W.
  std::array<size_t, 3> order() const;
  /// An operator that does what `first`, then this one does.
  Transpose after(const Transpose& first) const;
  bool is_identity() const { return order() == std::array<size_t, 3>{1, 2, 3}; }
  /// Whether values of a map of this shape change their order in memory: axes of one element do not count.
  bool moves(const Shape& in) const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

/// The Transpose whose output axes C, H, W are these axes of the input (1 = C, 2 = H, 3 = W).
Transpose transpose_of(const std::array<size_t, 3>& order);

}  // namespace n2d2::ops
