#include <algorithm>
#include <cfloat>
#include <cmath>

#include "loss_positions.hpp"

namespace n2d2::training {

LossResult cross_entropy(const Tensor& output, std::span<const int> classes, const TargetValues& values) {
  return sum_over_positions(output, classes, values, [](double y, double want) {
    // A probability that underflowed to 0 has a finite loss, 87; its gradient is right anyway. NaN stays NaN.
    return want == 0 && !std::isnan(y) ? 0.0 : -want * std::log(y < FLT_MIN ? FLT_MIN : y);
  });
}

}  // namespace n2d2::training
