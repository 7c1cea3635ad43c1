// What is batch normalization?
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs: data N,C,H,W; scales, biases, means, variances (C each).
/// y = scale (x - mean) / sqrt(variance + Epsilon) + bias. Training uses the batch's mean and biased
/// variance, saved as {mean, variance}; absorb() then moves the running statistics by MovingAverageMomentum
/// towards them (variance unbiased, n/(n-1)); momentum 0: the stored statistics are used while learning, too.
/// Source: Ioffe & Szegedy 2015.
struct BatchNorm final : graph::OperatorBase<BatchNorm> {
  static constexpr const char* kType = "BatchNorm";
  double epsilon = 1e-5, momentum = 0.1;

  template <class V>
  static void fields(V&& v) {
    v("Epsilon", &BatchNorm::epsilon, in_config, at_least(0), help("added to the variance"));
    v("MovingAverageMomentum", &BatchNorm::momentum, in_config, at_least(0), at_most(0.999999),
      help("weight of the new batch in the running statistics"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override;
  bool mixes_samples() const override { return momentum > 0; }
  void absorb(const std::vector<Tensor>& saved, std::span<Tensor* const> in,
              const Shape& batch) const override;
};

}  // namespace n2d2::ops
