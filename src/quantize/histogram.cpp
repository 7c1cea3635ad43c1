#include "n2d2/quantize/histogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/error.hpp"

namespace n2d2::quantize {

namespace {

constexpr double kBoundaryNoise = 1e-6;

/// Histogram::bin of values between the limits.
N2D2_CLONES
void bins_of(const float* __restrict values, int64_t count, double min, double width, int32_t last,
             int32_t* __restrict bins) {
  for (int64_t i = 0; i < count; ++i) {
    const auto bin = static_cast<int32_t>((static_cast<double>(values[i]) - min) / width + kBoundaryNoise);
    bins[i] = bin < last ? bin : last;
  }
}

/// Whether all values lie in [min, max].
N2D2_CLONES
bool all_within(const float* values, int64_t count, double min, double max) {
  int outside = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(values[i]);
    outside |= !((x >= min) & (x <= max));
  }
  return outside == 0;
}

}  // namespace

Histogram::Histogram(double min, double max, int64_t bins)
    : min_(min), max_(max), width_((max - min) / static_cast<double>(bins)) {
  N2D2_CHECK(min < max && bins >= 1, "a histogram of {} bins over [{}, {}]", bins, min, max);
  counts_.assign(static_cast<size_t>(bins), 0);
}

void Histogram::check(double value) const {
  N2D2_CHECK(value >= min_ && value <= max_, "value {} is outside the limits [{}, {}] of a histogram", value,
             min_, max_);
}

void Histogram::insert(double value, uint64_t times) {
  check(value);
  counts_[static_cast<size_t>(bin(value))] += times;
  total_ += times;
}

int64_t Histogram::bin(double value) const {
  const double clamped = std::min(std::max(value, min_), max_);
  const auto index = static_cast<int64_t>(std::floor((clamped - min_) / width_ + kBoundaryNoise));
  return std::clamp<int64_t>(index, 0, bins() - 1);
}

double Histogram::centre(int64_t i) const {
  N2D2_CHECK(i >= 0 && i < bins(), "bin {} of a histogram of {} bins", i, bins());
  return min_ + (static_cast<double>(i) + 0.5) * width_;
}

void Histogram::insert(const BinCounts& counts) {
  const auto bins = counts_.size();
  N2D2_CHECK(counts.rows_.size() == bins * BinCounts::kRows, "counts of other limits");
  for (size_t row = 0; row < BinCounts::kRows; ++row)
    for (size_t i = 0; i < bins; ++i) {
      const uint32_t times = counts.rows_[row * bins + i];
      counts_[i] += times;
      total_ += times;
    }
}

void BinCounts::count(const Histogram& limits, std::span<const float> values) {
  constexpr int64_t kRun = 512;
  std::array<int32_t, kRun> bins;
  const auto size = static_cast<size_t>(limits.bins());
  const auto count = static_cast<int64_t>(values.size());
  rows_.assign(size * kRows, 0);
  for (int64_t first = 0; first < count; first += kRun) {
    const float* run = values.data() + first;
    const int64_t length = std::min(kRun, count - first);
    if (!all_within(run, length, limits.min(), limits.max()))
      for (int64_t i = 0; i < length; ++i) limits.check(run[i]);
    bins_of(run, length, limits.min(), limits.width(), static_cast<int32_t>(size) - 1, bins.data());
    for (int64_t i = 0; i < length; ++i)
      ++rows_[static_cast<size_t>(i % kRows) * size + static_cast<size_t>(bins[static_cast<size_t>(i)])];
  }
}

int64_t histogram_bins(int bits) {
  return std::min<int64_t>(int64_t{64} << std::clamp(bits, 0, 30), 65536);
}

}  // namespace n2d2::quantize
