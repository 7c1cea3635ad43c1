#include "n2d2/quantize/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/error.hpp"

namespace n2d2::quantize {

Histogram::Histogram(double min, double max, int64_t bins)
    : min_(min), max_(max), width_((max - min) / static_cast<double>(bins)) {
  N2D2_CHECK(min < max && bins >= 1, "a histogram of {} bins over [{}, {}]", bins, min, max);
  counts_.assign(static_cast<size_t>(bins), 0);
}

void Histogram::insert(double value, uint64_t times) {
  N2D2_CHECK(value >= min_ && value <= max_, "value {} is outside the limits [{}, {}] of a histogram", value,
             min_, max_);
  counts_[static_cast<size_t>(bin(value))] += times;
  total_ += times;
}

int64_t Histogram::bin(double value) const {
  constexpr double kBoundaryNoise = 1e-6;
  const double clamped = std::min(std::max(value, min_), max_);
  const auto index = static_cast<int64_t>(std::floor((clamped - min_) / width_ + kBoundaryNoise));
  return std::clamp<int64_t>(index, 0, bins() - 1);
}

double Histogram::centre(int64_t i) const {
  N2D2_CHECK(i >= 0 && i < bins(), "bin {} of a histogram of {} bins", i, bins());
  return min_ + (static_cast<double>(i) + 0.5) * width_;
}

int64_t histogram_bins(int bits) {
  return std::min<int64_t>(int64_t{64} << std::clamp(bits, 0, 30), 65536);
}

}  // namespace n2d2::quantize
