// What is an element-wise operation on several inputs?
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

enum class ElemWiseOperation { Sum, AbsSum, EuclideanSum, Prod, Max, Min, Div };
enum class CoeffMode { PerLayer, PerInput, PerChannel };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::ElemWiseOperation> {
  static constexpr std::array names{"Sum", "AbsSum", "EuclideanSum", "Prod", "Max", "Min", "Div"};
};
template <>
struct n2d2::EnumText<n2d2::ops::CoeffMode> {
  static constexpr std::array names{"PerLayer", "PerInput", "PerChannel"};
};

namespace n2d2::ops {

/// One or more inputs x_i with weight w_i and shift s_i, element by element:
///   Sum           sum of w x + s                 Prod, Max, Min  of all x
///   AbsSum        sum of w |x| + s               Div             x_0 / x_1
///   EuclideanSum  sqrt(sum of w^2 x^2 + s^2)
/// An input may have extent 1 along an axis where others have more: its element meets all of theirs. Inputs
/// from ConstantsFrom on are constants, with batch extent 1. Sum, Prod, Max and Min have integers; constants
/// get a scale of their own.
struct ElemWise final : graph::OperatorBase<ElemWise> {
  static constexpr const char* kType = "ElemWise";
  ElemWiseOperation operation = ElemWiseOperation::Sum;
  CoeffMode coeff_mode = CoeffMode::PerInput;
  std::vector<double> weights, shifts;
  int constants_from = 0;

  template <class V>
  static void fields(V&& v) {
    v("Operation", &ElemWise::operation, required, help("what is done with the elements"));
    v("CoeffMode", &ElemWise::coeff_mode, help("how Weights and Shifts are indexed"));
    v("Weights", &ElemWise::weights, help("factors, 1 where missing"));
    v("Shifts", &ElemWise::shifts, help("added values, 0 where missing"));
    v("ConstantsFrom", &ElemWise::constants_from, at_least(0), help("first constant input, 0: none"));
  }

  std::string operation_name() const { return ValueText<ElemWiseOperation>::print(operation); }
  /// One of the elements is chosen.
  bool is_extreme() const {
    return operation == ElemWiseOperation::Max || operation == ElemWiseOperation::Min;
  }
  /// Weights and shifts act.
  bool has_coefficients() const { return operation <= ElemWiseOperation::EuclideanSum; }
  /// Factor and addend of input i, channel c.
  double weight(size_t input, int64_t channel) const;
  double shift(size_t input, int64_t channel) const;
  /// The result of one element of each input in output channel c, and its derivative with respect to input i.
  /// The first of several equal maxima (minima) takes the whole derivative.
  double combine(std::span<const double> x, int64_t channel) const;
  double slope(std::span<const double> x, double y, size_t input, int64_t channel) const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override {
    return constants_from > 0 && slot >= static_cast<size_t>(constants_from) ? "operands" : "";
  }

 private:
  void check_coefficients(size_t inputs, int64_t channels) const;
};

}  // namespace n2d2::ops
