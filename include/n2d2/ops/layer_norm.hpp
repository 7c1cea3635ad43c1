// What is a layer normalization? Each position's channels with mean 0 and variance 1, scaled and shifted.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs: data N,C,H,W; scales C; optionally biases C. Over the channels of each position
///   y = scale (x - mean) / sqrt(variance + Epsilon) + bias, variance the mean of (x - mean)^2.
/// With Centered=0 the mean is taken for 0, which is a root mean square normalization.
/// Sources: Ba et al. 2016, equation 3; Zhang and Sennrich 2019, equation 4.
///
/// Its integers (docs/make/integers.md, "Normalizations") read input 1 as a table of pairs behind each other:
/// Epsilon in units of the data, low 30 bits and the rest; exponent u of the unit and 0; then a factor and an
/// offset for each channel, in units of 2^-u.
struct LayerNorm final : graph::OperatorBase<LayerNorm> {
  static constexpr const char* kType = "LayerNorm";
  static constexpr int64_t kMostChannels = 16384;
  static constexpr int kNormBits = 16, kFactorBits = 20, kLowBits = 30;
  double epsilon = 1e-5;
  bool centered = true;

  template <class V>
  static void fields(V&& v) {
    v("Epsilon", &LayerNorm::epsilon, at_least(0), help("added to the variance"));
    v("Centered", &LayerNorm::centered, help("0: the mean is taken for 0"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::string_view input_role(size_t slot) const override {
    return slot == 1 ? "scales" : slot == 2 ? "biases" : "";
  }
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
