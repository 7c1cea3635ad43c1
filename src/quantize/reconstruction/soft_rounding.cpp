#include "soft_rounding.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/parallel.hpp"

#include "adam.hpp"

namespace n2d2::quantize {

namespace {

/// Where h begins on the way from the weight to its integer.
constexpr float kStart = 0.8F;
constexpr float kStretch = 1.2F, kBelow = 0.1F;
/// h of weights that lie on an integer: there the slope is 0.
constexpr float kClosest = 0.01F;
constexpr int64_t kPart = 4096;

float sigmoid(float v) {
  return 1 / (1 + std::exp(-v));
}
float soft(float v) {
  return std::clamp(kStretch * sigmoid(v) - kBelow, 0.0F, 1.0F);
}

template <class Body>
void for_parts(int64_t count, const Body& body) {
  parallel_for((count + kPart - 1) / kPart, [&](int64_t part, int) {
    for (int64_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) body(static_cast<size_t>(i));
  });
}

}  // namespace

SoftRounding::SoftRounding(std::span<const float> weights, const RoundedLayer& layer)
    : steps_(layer.scales),
      row_(static_cast<int64_t>(weights.size() / layer.biases.size())),
      most_(static_cast<float>((1 << (layer.bits - 1)) - 1)),
      floors_(weights.size()),
      variables_(weights.size()),
      means_(weights.size()),
      squares_(weights.size()) {
  for (size_t i = 0; i < weights.size(); ++i) {
    const float exact = std::clamp(weights[i] / step_of(static_cast<int64_t>(i)), -most_, most_);
    const float chosen = layer.integers[i];
    floors_[i] = std::clamp(exact > chosen ? chosen : chosen - 1, -most_, most_ - 1);
    const float of_weight = std::clamp(exact - floors_[i], 0.0F, 1.0F);
    const float h =
        std::clamp(of_weight + kStart * (chosen - floors_[i] - of_weight), kClosest, 1 - kClosest);
    variables_[i] = -std::log(kStretch / (h + kBelow) - 1);
  }
}

void SoftRounding::write(std::span<float> weights) const {
  for_parts(size(), [&](size_t i) {
    weights[i] = step_of(static_cast<int64_t>(i)) * (floors_[i] + soft(variables_[i]));
  });
}

void SoftRounding::learn(std::span<const float> gradient, const SoftStep& by) {
  const AdamStep adam(++learnt_);
  for_parts(size(), [&](size_t i) {
    const float s = sigmoid(variables_[i]), h = kStretch * s - kBelow;
    const bool moves = h > 0 && h < 1;
    double slope = 0;
    if (moves) {
      const double from_middle = 2 * double{h} - 1;
      const double drawn = by.pull == 0
                               ? 0
                               : -2 * by.pull * by.power * std::pow(std::abs(from_middle), by.power - 1) *
                                     (from_middle < 0 ? -1 : 1);
      slope = (double{gradient[i]} * double{step_of(static_cast<int64_t>(i))} + drawn) *
              double{kStretch * s * (1 - s)};
    }
    variables_[i] -= static_cast<float>(by.rate * adam.move(slope, means_[i], squares_[i]));
  });
}

std::vector<int8_t> SoftRounding::integers() const {
  std::vector<int8_t> out;
  for (size_t i = 0; i < floors_.size(); ++i)
    out.push_back(static_cast<int8_t>(floors_[i] + (soft(variables_[i]) >= 0.5F ? 1.0F : 0.0F)));
  return out;
}

}  // namespace n2d2::quantize
