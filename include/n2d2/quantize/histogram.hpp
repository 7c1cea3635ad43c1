// How often does a value fall where? Integer counts between limits that never move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace n2d2::quantize {

/// Bins of equal width over [min, max], the last one closed. Spec quantization 5.2.
class Histogram {
 public:
  /// min < max, bins >= 1; InternalError otherwise.
  Histogram(double min, double max, int64_t bins);

  /// Counts a value `times` times. InternalError with value and limits when it is outside [min, max].
  void insert(double value, uint64_t times = 1);
  /// Index of the bin of a value; values outside count as the nearest limit. A value on a boundary belongs to
  /// the upper bin: floor((value - min) / width + 1e-6).
  int64_t bin(double value) const;
  /// min + (i + 0.5) width. InternalError when i is not a bin.
  double centre(int64_t i) const;

  double min() const { return min_; }
  double max() const { return max_; }
  double width() const { return width_; }
  int64_t bins() const { return static_cast<int64_t>(counts_.size()); }
  std::span<const uint64_t> counts() const { return counts_; }
  uint64_t total() const { return total_; }
  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  double min_, max_, width_;
  std::vector<uint64_t> counts_;
  uint64_t total_ = 0;
};

/// min(64 * 2^bits, 65536).
int64_t histogram_bins(int bits);

}  // namespace n2d2::quantize
