// What is an activation whose grid is learnt? Rounding to integers times one step, in floats.
#pragma once

#include <array>

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

enum class QuantizeMethod { SAT, LSQ };
/// What a step or clip value of 0 becomes: the value of the layer's section, one that follows from the first
/// batch, or the one with the least squared error on it.
enum class StepInit { Given, Batch, Calibrated };

}  // namespace n2d2::ops

template <>
struct n2d2::EnumText<n2d2::ops::QuantizeMethod> {
  static constexpr std::array names{"SAT", "LSQ"};
};
template <>
struct n2d2::EnumText<n2d2::ops::StepInit> {
  static constexpr std::array names{"Given", "Batch", "Calibrated"};
};

namespace n2d2::ops {

/// Inputs: data N,C,H,W; one learnt number, alpha (SAT) or the step s (LSQ).
/// y = s clamp(rint(x / s), lowest, highest), ties to even, one float32 product, with
///   SAT: s = |alpha| / Range and integers 0 .. Range;
///   LSQ: integers 0 .. Range, with Signed -(Range + 1) / 2 .. (Range - 1) / 2.
/// Gradients: for LSQ Esser et al. 2019 (arXiv 1902.08153, equation 3), for SAT Jin et al. 2019
/// (arXiv 1912.10207, equation 10), times the sign of alpha.
struct QuantizeActivation final : graph::OperatorBase<QuantizeActivation> {
  static constexpr const char* kType = "QuantizeActivation";
  QuantizeMethod method = QuantizeMethod::SAT;
  int levels = 255;  ///< R: integers have R + 1 values
  bool is_signed = false;
  StepInit init = StepInit::Given;
  /// n: values are multiples of s / n, but for the rounding of floats, as averages of n values of the grid
  /// are. What is half way between two integers is so exactly then.
  int parts = 1;
  /// In a copy of a graph: a training step of it gives the learnt number its first value, if that is 0.
  bool measures = false;

  template <class V>
  static void fields(V&& v) {
    v("Method", &QuantizeActivation::method, help("how the grid is learnt"));
    v("Range", &QuantizeActivation::levels, at_least(1), at_most(65535),
      help("steps of the grid: 255 are 8 bits"));
    v("Signed", &QuantizeActivation::is_signed, help("LSQ: integers of both signs"));
    v("Init", &QuantizeActivation::init, help("what the learnt number starts with where it is 0"));
    v("Parts", &QuantizeActivation::parts, at_least(1),
      help("values are averages of so many values of the grid"));
  }

  /// Where forward() and backward() round: the same for both backends.
  struct Grid {
    float step = 1, lowest = 0, highest = 0;
    float clip = 0;  ///< SAT: |alpha|
    float sign = 1;  ///< SAT: of alpha
    float parts = 1;
  };
  Grid grid(float learnt) const;
  /// Factor on the sum of gradients of the learnt number over a batch of so many values.
  double gradient_factor(double count) const;
  /// First value of the learnt number for these activations.
  float first_value(std::span<const float> x) const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  std::unique_ptr<graph::Operator> surrogate(std::span<const Tensor* const> in) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override;
  bool mixes_samples() const override { return measures; }
  void absorb(const std::vector<Tensor>& saved, std::span<Tensor* const> in,
              const Shape& batch) const override;
};

}  // namespace n2d2::ops
