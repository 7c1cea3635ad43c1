// What is an element-wise operation on several inputs?
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

enum class ElemWiseOperation { Sum, AbsSum, EuclideanSum, Prod, Max };
enum class CoeffMode { PerLayer, PerInput, PerChannel };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::ElemWiseOperation> {
  static constexpr std::array names{"Sum", "AbsSum", "EuclideanSum", "Prod", "Max"};
};
template <>
struct n2d2::EnumText<n2d2::ops::CoeffMode> {
  static constexpr std::array names{"PerLayer", "PerInput", "PerChannel"};
};

namespace n2d2::ops {

/// One or more inputs of one shape. Only Sum is delivered: y = sum of weight x + shift; the other operations
/// are refused by infer() with their name. Source: spec layers 2.8.
struct ElemWise final : graph::OperatorBase<ElemWise> {
  static constexpr const char* kType = "ElemWise";
  ElemWiseOperation operation = ElemWiseOperation::Sum;
  CoeffMode coeff_mode = CoeffMode::PerInput;
  std::vector<double> weights, shifts;

  template <class V>
  static void fields(V&& v) {
    v("Operation", &ElemWise::operation, required, help("what is done with the elements"));
    v("CoeffMode", &ElemWise::coeff_mode, help("how Weights and Shifts are indexed"));
    v("Weights", &ElemWise::weights, help("factors, 1 where missing"));
    v("Shifts", &ElemWise::shifts, help("added values, 0 where missing"));
  }

  /// Factor and addend of input i, channel c.
  double weight(size_t input, int64_t channel) const;
  double shift(size_t input, int64_t channel) const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::QuantRule quant_rule() const override { return graph::QuantRule::AddsScaled; }
};

}  // namespace n2d2::ops
