// By how much does Adam move a number? (Kingma and Ba 2015)
#pragma once

#include <cmath>
#include <cstdint>

namespace n2d2::quantize {

/// What the moving averages lack in the first steps.
struct AdamStep {
  static constexpr double kMeanDecay = 0.9, kSquareDecay = 0.999, kTiny = 1e-12;
  double mean_share, square_share;

  /// `step` counts from 1.
  explicit AdamStep(int64_t step)
      : mean_share(1 - std::pow(kMeanDecay, static_cast<double>(step))),
        square_share(1 - std::pow(kSquareDecay, static_cast<double>(step))) {}

  /// Takes a slope into the averages; returns what a rate of 1 subtracts from the number.
  template <class T>
  double move(double slope, T& mean, T& square) const {
    mean = static_cast<T>(kMeanDecay * double{mean} + (1 - kMeanDecay) * slope);
    square = static_cast<T>(kSquareDecay * double{square} + (1 - kSquareDecay) * slope * slope);
    return double{mean} / mean_share / (std::sqrt(double{square} / square_share) + kTiny);
  }
};

}  // namespace n2d2::quantize
