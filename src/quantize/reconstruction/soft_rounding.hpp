// Which of the two integers beside it does each weight become? Learnt (AdaRound: Nagel et al. 2020).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "n2d2/quantize/round_weights.hpp"

namespace n2d2::quantize {

struct SoftStep {
  double rate = 0.01;  ///< of Adam
  /// Weight, not negative, of 1 - |2 h - 1|^power in the loss, which draws each h to 0 or 1.
  double pull = 0, power = 2;
};

/// The weights of one layer on their way to integers: step * (n + h), h = clamp(1.2 sigmoid(v) - 0.1,
/// 0, 1), v learnt by Adam. One of n and n + 1 is the integer that the weight had, the other its neighbour on
/// the side of the weight. Rows of the weights have one step each.
class SoftRounding {
 public:
  /// Starts near the integers of `layer`, whose scales and bits stay.
  SoftRounding(std::span<const float> weights, const RoundedLayer& layer);

  int64_t size() const { return static_cast<int64_t>(variables_.size()); }
  /// Writes the weights as they are now.
  void write(std::span<float> weights) const;
  /// One step of learning. `gradient` is that of the loss by the weights.
  void learn(std::span<const float> gradient, const SoftStep& by);
  /// Integers of h rounded to 0 or 1.
  std::vector<int8_t> integers() const;

 private:
  float step_of(int64_t i) const {
    return steps_.size() == 1 ? steps_[0] : steps_[static_cast<size_t>(i / row_)];
  }

  std::vector<float> steps_;
  int64_t row_ = 1;
  float most_ = 127;
  std::vector<float> floors_, variables_, means_, squares_;
  int64_t learnt_ = 0;
};

}  // namespace n2d2::quantize
