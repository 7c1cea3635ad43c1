#include "n2d2/quantize/histogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/error.hpp"

namespace n2d2::quantize {

namespace {

constexpr double kBoundaryNoise = 1e-6;

/// Histogram::bin of each value; whether all lie in [min, max], else the bins are of no use.
N2D2_CLONES
bool bins_of(const float* __restrict values, int64_t count, double min, double max, double bins_per_unit,
             int32_t last, int32_t* __restrict bins) {
  int outside = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(values[i]);
    const bool inside = (x >= min) & (x <= max);
    outside |= static_cast<int>(!inside);
    const auto bin = static_cast<int32_t>(((inside ? x : min) - min) * bins_per_unit + kBoundaryNoise);
    bins[i] = bin < last ? bin : last;
  }
  return outside == 0;
}

N2D2_CLONES
void add_rows(const uint32_t* __restrict rows, int64_t count, int64_t bins, uint64_t* __restrict sums) {
  for (int64_t row = 0; row < count; ++row)
    for (int64_t i = 0; i < bins; ++i) sums[i] += rows[row * bins + i];
}

}  // namespace

Histogram::Histogram(double min, double max, int64_t bins)
    : min_(min),
      max_(max),
      width_((max - min) / static_cast<double>(bins)),
      bins_per_unit_(static_cast<double>(bins) / (max - min)) {
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

void Histogram::set_counts(std::span<const uint64_t> counts) {
  N2D2_CHECK(counts.size() == counts_.size(), "{} counts for {} bins", counts.size(), counts_.size());
  counts_.assign(counts.begin(), counts.end());
  total_ = std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
}

int64_t Histogram::bin(double value) const {
  const double clamped = std::min(std::max(value, min_), max_);
  const auto index = static_cast<int64_t>(std::floor((clamped - min_) * bins_per_unit_ + kBoundaryNoise));
  return std::clamp<int64_t>(index, 0, bins() - 1);
}

double Histogram::centre(int64_t i) const {
  N2D2_CHECK(i >= 0 && i < bins(), "bin {} of a histogram of {} bins", i, bins());
  return min_ + (static_cast<double>(i) + 0.5) * width_;
}

void Histogram::insert(const BinCounts& counts) {
  N2D2_CHECK(counts.rows_.size() == counts_.size() * BinCounts::kRows, "counts of other limits");
  add_rows(counts.rows_.data(), BinCounts::kRows, bins(), counts_.data());
  total_ += counts.total_;
}

void BinCounts::count(const Histogram& limits, std::span<const float> values) {
  constexpr size_t kRun = 512;
  static_assert(kRows == 4 && kRun % kRows == 0);
  std::array<int32_t, kRun> bins;
  const auto size = static_cast<size_t>(limits.bins());
  rows_.assign(size * kRows, 0);
  total_ = values.size();
  uint32_t *const row0 = rows_.data(), *const row1 = row0 + size, *const row2 = row1 + size,
                  *const row3 = row2 + size;
  for (size_t first = 0; first < values.size(); first += kRun) {
    const auto run = values.subspan(first, std::min(kRun, values.size() - first));
    if (!bins_of(run.data(), static_cast<int64_t>(run.size()), limits.min(), limits.max(),
                 limits.bins_per_unit(), static_cast<int32_t>(size) - 1, bins.data()))
      for (const float x : run) limits.check(x);
    size_t i = 0;
    for (; i + kRows <= run.size(); i += kRows) {
      ++row0[bins[i]];
      ++row1[bins[i + 1]];
      ++row2[bins[i + 2]];
      ++row3[bins[i + 3]];
    }
    for (; i < run.size(); ++i) ++row0[bins[i]];
  }
}

int64_t histogram_bins(int bits) {
  return std::min<int64_t>(int64_t{64} << std::clamp(bits, 0, 30), 65536);
}

}  // namespace n2d2::quantize
