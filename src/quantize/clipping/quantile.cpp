#include <algorithm>
#include <cmath>

#include "n2d2/quantize/clipping.hpp"

namespace n2d2::quantize {

namespace {

constexpr int64_t kBins = 65536;

/// The centre of the first bin of |x|, from 0 on, up to which floor(q N) of the N values lie, one at least.
/// The quantile of magnitudes, so that both tails are clipped.
double quantile_threshold(const Histogram& histogram, const ClippingTarget& target) {
  if (histogram.total() == 0) return 0;
  const double wanted = std::max(1.0, std::floor(target.quantile * static_cast<double>(histogram.total())));
  // Outwards from 0: the next bin above it, and the one below that is as far away.
  const int64_t middle = histogram.bin(0);
  const int64_t mirror = histogram.min() < 0 ? 2 * middle - 1 : -1;
  uint64_t count = 0;
  for (int64_t above = middle; above < histogram.bins(); ++above) {
    const int64_t below = mirror - above;
    count += histogram.counts()[static_cast<size_t>(above)];
    if (histogram.min() < 0 && below >= 0) count += histogram.counts()[static_cast<size_t>(below)];
    if (static_cast<double>(count) >= wanted) return histogram.centre(above);
  }
  return histogram.max();
}

}  // namespace

void register_quantile(ClippingRegistry& registry);
void register_quantile(ClippingRegistry& registry) {
  registry.add("Quantile", {true, quantile_threshold, [](int) { return kBins; }, false});
}

}  // namespace n2d2::quantize
