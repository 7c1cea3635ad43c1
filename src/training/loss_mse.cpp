#include <algorithm>
#include <array>
#include <cmath>

#include "loss_positions.hpp"

namespace n2d2::training {

LossResult squared_error(const Tensor& output, std::span<const int> classes, const TargetValues& values) {
  return sum_over_positions(output, classes, values,
                            [](double y, double want) { return 0.5 * (y - want) * (y - want); });
}

LossResult squared_error_of_data(const Tensor& output, const Tensor& wanted) {
  constexpr int kBins = 20;
  N2D2_CHECK(
      output.shape().elements() == wanted.shape().elements() && output.shape().n() == wanted.shape().n(),
      "output {} for data {}", output.shape().text(), wanted.shape().text());
  const auto bin = [](float value) {
    const double at = std::floor((static_cast<double>(value) + 1) * 0.5 * kBins);
    return static_cast<size_t>(std::clamp(at, 0.0, kBins - 1.0));
  };
  LossResult result{0, Tensor(output.shape())};
  const auto samples = static_cast<size_t>(output.shape().n());
  const size_t each = static_cast<size_t>(output.shape().elements()) / std::max<size_t>(samples, 1);
  const float* out = output.data<float>();
  const float* want = wanted.data<float>();
  float* gradient = result.gradient.data<float>();
  for (size_t n = 0; n < samples; ++n, out += each, want += each, gradient += each) {
    std::array<int64_t, kBins> count{};
    for (size_t i = 0; i < each; ++i) ++count[bin(want[i])];
    for (size_t i = 0; i < each; ++i) {
      const double weight = 1.0 / static_cast<double>(count[bin(want[i])]);
      const double error = static_cast<double>(out[i]) - static_cast<double>(want[i]);
      result.loss += 0.5 * weight * error * error;
      gradient[i] = static_cast<float>(weight * error);
    }
  }
  return result;
}

}  // namespace n2d2::training
