#include <algorithm>
#include <cfloat>
#include <cmath>

#include "loss_positions.hpp"

namespace n2d2::training {

namespace {

/// want times -log(y). A probability that underflowed to 0 has a finite loss, 87; its gradient is right
/// anyway. NaN stays NaN.
double surprise(double y, double want) {
  return want == 0 && !std::isnan(y) ? 0.0 : -want * std::log(y < FLT_MIN ? FLT_MIN : y);
}

}  // namespace

LossResult cross_entropy(const Tensor& output, std::span<const int> classes, const TargetValues& values) {
  return sum_over_positions(output, classes, values, surprise);
}

LossResult binary_cross_entropy(const Tensor& output, std::span<const int> classes,
                                const TargetValues& values) {
  return sum_over_positions(output, classes, values, [](double y, double want) {
    return surprise(y, want) + surprise(1 - y, 1 - want);
  });
}

}  // namespace n2d2::training
