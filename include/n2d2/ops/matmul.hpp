// What is a product of two maps? Matrices whose rows are positions, one for each group of channels.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs a and b, N,C,H,W each, with Groups blocks of channels. A position (y, x) is a row p = y W + x, and
/// channels of a block are columns. For each block g
///   Transposed=0: y_g = Factor a_g b_g     a_g has as many columns as b has positions
///   Transposed=1: y_g = Factor a_g b_g^T   a_g and b_g have as many columns; those of y_g are positions of b
/// The output has the positions of a. The heads of an attention are groups, so that neither the queries nor
/// the keys, values and outputs move (Vaswani et al. 2017, section 3.2).
struct MatMul final : graph::OperatorBase<MatMul> {
  static constexpr const char* kType = "MatMul";
  int groups = 1;
  bool transposed = false;
  double factor = 1;

  template <class V>
  static void fields(V&& v) {
    v("Groups", &MatMul::groups, at_least(1), help("blocks of channels that are multiplied by themselves"));
    v("Transposed", &MatMul::transposed, help("1: rows of the second matrix are its columns"));
    v("Factor", &MatMul::factor, help("what products are multiplied by"));
  }

  /// How many products one value of the output adds up.
  int64_t depth(const Shape& a) const { return a.c() / groups; }
  /// Multiply-accumulates of one sample.
  int64_t products(const Shape& a, const Shape& out) const { return depth(a) * out.c() * out.h() * out.w(); }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
