// How often does a value fall where? Integer counts between limits that never move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace n2d2::quantize {

class BinCounts;

/// Bins of equal width over [min, max], the last one closed.
class Histogram {
 public:
  /// min < max, bins >= 1; InternalError otherwise.
  Histogram(double min, double max, int64_t bins);

  /// Counts a value `times` times, which check() must accept.
  void insert(double value, uint64_t times = 1);
  /// Adds what was counted with the limits of this histogram.
  void insert(const BinCounts& counts);
  /// InternalError with value and limits when the value is outside [min, max].
  void check(double value) const;
  /// Index of the bin of a value; values outside count as the nearest limit. A value on a boundary belongs to
  /// the upper bin: floor((value - min) * bins_per_unit + 1e-6).
  int64_t bin(double value) const;
  /// min + (i + 0.5) width. InternalError when i is not a bin.
  double centre(int64_t i) const;

  double min() const { return min_; }
  double max() const { return max_; }
  double width() const { return width_; }
  double bins_per_unit() const { return bins_per_unit_; }
  int64_t bins() const { return static_cast<int64_t>(counts_.size()); }
  std::span<const uint64_t> counts() const { return counts_; }
  /// Takes the counts of all ranks of a cluster in place of its own.
  void set_counts(std::span<const uint64_t> counts);
  uint64_t total() const { return total_; }
  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  double min_, max_, width_, bins_per_unit_;
  std::vector<uint64_t> counts_;
  uint64_t total_ = 0;
};

/// How often many values fall into the bins of a histogram, counted aside. Threads count apart and add what
/// they have one after the other.
class BinCounts {
 public:
  /// As Histogram::insert() of each value; forgets what was counted before.
  void count(const Histogram& limits, std::span<const float> values);

 private:
  friend class Histogram;
  /// Neighbouring values go to different rows of counts: equal ones need not wait for each other.
  static constexpr size_t kRows = 4;
  std::vector<uint32_t> rows_;
  uint64_t total_ = 0;
};

/// min(64 * 2^bits, 65536).
int64_t histogram_bins(int bits);

}  // namespace n2d2::quantize
