// What is a target bias? A number added to the score of the right class, while learning.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs: data N,C,H,W and classes of the samples of a batch, whole numbers in float32, which the trainer
/// sets before each step: Bias is added to that channel of the sample, everywhere. No channel of a sample
/// whose class is negative or at least C.
/// The identity when not learning. A negative Bias asks for a margin (Wang et al. 2018, Additive Margin
/// Softmax).
struct TargetBias final : graph::OperatorBase<TargetBias> {
  static constexpr const char* kType = "TargetBias";
  static constexpr size_t kClassesSlot = 1;
  double bias = 0;

  template <class V>
  static void fields(V&& v) {
    v("Bias", &TargetBias::bias, required, help("added to the channel of the right class while learning"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  std::string_view input_role(size_t slot) const override { return slot == kClassesSlot ? "classes" : ""; }
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
