// What is a softmax layer? Probabilities over the channels of each position.
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// y = exp(x - max) / sum, per position over channels, or over groups of GroupSize channels. With WithLoss
/// the trainer uses the cross-entropy gradient (output - target) at the softmax's input.
///
/// In integers input 1 is a table, E[d] = kOne exp(-d step) of the distance d to the largest value, as far as
/// it is not 0.
/// With S the sum of a group, y is rescaled from (E floor(2^46 / S)) >> 22, in units of 1 / kShare: one
/// division a group, right to S / 2^46 of the value.
struct Softmax final : graph::OperatorBase<Softmax> {
  static constexpr const char* kType = "Softmax";
  bool with_loss = false;
  int group_size = 0;
  static constexpr int64_t kOne = int64_t{1} << 16, kShare = int64_t{1} << 24;

  template <class V>
  static void fields(V&& v) {
    v("WithLoss", &Softmax::with_loss, help("train with cross-entropy"));
    v("GroupSize", &Softmax::group_size, at_least(0), help("channels a group, 0: all"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  std::string_view input_role(size_t slot) const override { return slot == 1 ? "table" : ""; }
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

/// E[d] for d = 0, 1, ... as far as it is not 0; `in` has the integers of x.
std::vector<int32_t> powers_of_softmax(const QuantParams& in);

}  // namespace n2d2::ops
