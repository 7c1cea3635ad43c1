// What is local response normalization? Each value divided by a power of the energy of its neighbouring
// channels.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// y_c = x_c / (K + Alpha s_c)^Beta, s_c the sum of x^2 over the N channels c - (N - 1) / 2 ... c + N / 2
/// that exist, at the same position. Alpha is not divided by N. Source: Krizhevsky et al.
/// 2012, section 3.3.
///
/// In integers q input 1 is a table of T(s) = kOne ((K + Alpha step^2 s) / K)^-Beta over sums of q^2, 64
/// entries an octave, between them on lines. y is rescaled from q T(s), in units of step K^-Beta / kOne.
struct Lrn final : graph::OperatorBase<Lrn> {
  static constexpr const char* kType = "LRN";
  int n = 5;
  double alpha = 1e-4, beta = 0.75, k = 2;
  static constexpr int64_t kOne = int64_t{1} << 22;

  template <class V>
  static void fields(V&& v) {
    v("N", &Lrn::n, in_config, at_least(1), help("neighbouring channels, itself included"));
    v("Alpha", &Lrn::alpha, in_config, at_least(0), help("weight of the sum of squares"));
    v("Beta", &Lrn::beta, in_config, help("exponent"));
    v("K", &Lrn::k, in_config, at_least(0), help("added to the weighted sum"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::string_view input_role(size_t slot) const override { return slot == 1 ? "table" : ""; }
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
