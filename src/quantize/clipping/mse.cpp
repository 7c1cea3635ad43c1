#include <algorithm>
#include <cmath>
#include <vector>

#include "n2d2/quantize/clipping.hpp"

#include "candidates.hpp"

namespace n2d2::quantize {

namespace {

struct ShareOfBin {
  double centre, probability;
};

/// Mean squared error of quantizing with q / s, or any number above `give_up` once the sum has passed it.
double error(const std::vector<ShareOfBin>& bins, double s, double q_min, double q_max, double give_up) {
  double sum = 0;
  for (const ShareOfBin& bin : bins) {
    const double q = std::min(std::max(std::round(bin.centre * s), q_min), q_max);
    const double difference = bin.centre - q / s;
    sum += bin.probability * difference * difference;
    if (sum > give_up) break;
  }
  return sum;
}

/// The candidate of the smallest mean squared error.
double mse_threshold(const Histogram& histogram, const ClippingTarget& target) {
  if (histogram.total() == 0) return 0;
  std::vector<ShareOfBin> bins;
  for (int64_t i = 0; i < histogram.bins(); ++i)
    if (const uint64_t count = histogram.counts()[static_cast<size_t>(i)])
      bins.push_back(
          {histogram.centre(i), static_cast<double>(count) / static_cast<double>(histogram.total())});
  const double half = std::ldexp(1.0, target.bits - 1);
  const double q_min = target.is_signed ? -half : 0, q_max = target.is_signed ? half - 1 : 2 * half - 1;
  return best_candidate(histogram,
                        [&](double t, double best) { return error(bins, q_max / t, q_min, q_max, best); });
}

}  // namespace

void register_mse(ClippingRegistry& registry);
void register_mse(ClippingRegistry& registry) {
  registry.add("MSE", {true, mse_threshold});
}

}  // namespace n2d2::quantize
