// Which smooth or bent functions act on each value by itself? Those that are no clamp; those are in
// activation.hpp.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

enum class Function {
  Logistic,
  Tanh,
  Softplus,
  Swish,
  HardSigmoid,
  HardSwish,
  Elu,
  Celu,
  Selu,
  ThresholdedRelu,
  Softsign,
  Erf,
  Gelu,
  GeluTanh,
  Abs,
  Acos,
  Acosh,
  Asin,
  Asinh,
  Atan,
  Atanh,
  Ceil,
  Cos,
  Cosh,
  Exp,
  Floor,
  Log,
  Mish,
  Power,
  Reciprocal,
  Round,
  Shrink,
  Sign,
  Sin,
  Sinh,
  Sqrt,
  Tan
};

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::Function> {
  static constexpr std::array names{"Logistic",  "Tanh",   "Softplus", "Swish",    "HardSigmoid",
                                    "HardSwish", "Elu",    "Celu",     "Selu",     "ThresholdedRelu",
                                    "Softsign",  "Erf",    "Gelu",     "GeluTanh", "Abs",
                                    "Acos",      "Acosh",  "Asin",     "Asinh",    "Atan",
                                    "Atanh",     "Ceil",   "Cos",      "Cosh",     "Exp",
                                    "Floor",     "Log",    "Mish",     "Power",    "Reciprocal",
                                    "Round",     "Shrink", "Sign",     "Sin",      "Sinh",
                                    "Sqrt",      "Tan"};
};

namespace n2d2::ops {

/// y = f(x), with a = Alpha and b = Beta where they appear:
///   Logistic         1 / (1 + e^-x)                Elu              x > 0 ? x : a (e^x - 1)
///   Tanh             tanh(a x)                     Celu             x > 0 ? x : a (e^(x/a) - 1)
///   Softplus         ln(1 + e^x)                   Selu             b (x > 0 ? x : a (e^x - 1))
///   Swish            x / (1 + e^(-a x))            ThresholdedRelu  x > a ? x : 0
///   HardSigmoid      min(max(a x + b, 0), 1)       Softsign         x / (1 + |x|)
///   HardSwish        x min(max(a x + b, 0), 1)     Erf              2 / sqrt(pi) integral of e^(-t^2) to x
///   Gelu             x (1 + erf(x / sqrt(2))) / 2
///   GeluTanh         x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
///   Mish             x tanh(ln(1 + e^x))           Power            x^a
///   Reciprocal       1 / x                         Sign             x > 0 ? 1 : x < 0 ? -1 : 0
///   Shrink           x > a ? x - b : x < -a ? x + b : 0
///   Round            the nearest integer, ties to even
/// and Abs, Acos, Acosh, Asin, Asinh, Atan, Atanh, Ceil, Cos, Cosh, Exp, Floor, Log, Sin, Sinh, Sqrt, Tan.
/// A number stands for each x: what lies outside the domain counts as the nearest number inside. Acos, Asin:
/// -1 to 1. Atanh: the largest float below 1, and its negative. Acosh: from 1. Sqrt and a Power whose a is no
/// integer: from 0. Log: from 2^-126. Reciprocal and a Power whose a is below 0: from 2^-126, or to -2^-126
/// for x < 0. A result beyond the largest float is that.
/// In integers a table of all values (Jacob et al. 2018, appendix A.1, for the idea);
/// input 1 is that table then. Source: definitions of the ONNX operators of these names (Power is Pow with a
/// constant exponent); Hendrycks and Gimpel 2016 for Gelu.
struct Nonlinearity final : graph::OperatorBase<Nonlinearity> {
  static constexpr const char* kType = "Nonlinearity";
  Function function = Function::Logistic;
  double alpha = 1, beta = 0;
  bool with_loss = false;

  template <class V>
  static void fields(V&& v) {
    v("Function", &Nonlinearity::function, help("what is done with each value"));
    v("Alpha", &Nonlinearity::alpha, help("first parameter of the function"));
    v("Beta", &Nonlinearity::beta, help("second parameter of the function"));
    v("WithLoss", &Nonlinearity::with_loss, help("train a Logistic with binary cross-entropy"));
  }
  /// "Logistic".
  std::string function_name() const { return ValueText<Function>::print(function); }
  double value(double x) const;
  /// The derivative at x; on a bend, that of one side; 0 outside the domain. Finite.
  double slope(double x) const;
  /// No value lies outside.
  Clamp bounds() const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::string_view input_role(size_t slot) const override { return slot == 1 ? "table" : ""; }
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
