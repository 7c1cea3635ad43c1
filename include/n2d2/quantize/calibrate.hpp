// Which values do the wires of a float network carry? Ranges and histograms over calibration samples.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/histogram.hpp"
#include "n2d2/quantize/options.hpp"

namespace n2d2::quantize {

/// What was measured on one value.
struct Statistics {
  /// Smallest and largest value, 0 included.
  double min = 0, max = 0;
  /// Smallest value without the zero the range starts from.
  double smallest = 0;
  uint64_t count = 0;
  double sum = 0, sum_of_squares = 0;
  /// One a channel: sums and sums of squares, whose totals are `sum` and `sum_of_squares` but for rounding,
  /// and largest magnitudes.
  std::vector<double> channel_sums, channel_squares, channel_peaks;
  /// Sums over the samples of the largest magnitude that a sample has in the channel, and of its square.
  std::vector<double> channel_peak_sums, channel_peak_squares;
  /// [0, v] or [-v, v] with v = max(0.1, maxabs); none when no clipping mode wants it.
  std::optional<Histogram> histogram;

  double maxabs() const { return max > -min ? max : -min; }
  double mean() const { return count ? sum / static_cast<double>(count) : 0; }
  /// E[x] and E[x^2] of a channel.
  double channel_mean(size_t channel) const;
  double channel_power(size_t channel) const;
  /// E[x] of each channel; empty where channels were not measured.
  std::vector<double> channel_means() const;
  double stddev() const;
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

struct Ranges {
  int64_t samples = 0;
  /// Statistics of the graph inputs and of all node outputs, in the graph that was run.
  std::map<graph::ValueId, Statistics> values;
  /// Samples, by their number, without any content: all pixels of a channel are equal.
  std::vector<int64_t> constant_samples = {};
  friend bool operator==(const Ranges&, const Ranges&) = default;
};

/// Fills `batch` with samples N,C,H,W (float32, N >= 1, any N) of batch `index`; false when there is none
/// left. Called with 0, 1, 2, ... and again from 0 when the clipping mode wants histograms; gives the same
/// samples both times. In a cluster these are the batches of this rank: the ranks take whole batches in turn
/// (cluster/shards.hpp).
using BatchSource = std::function<bool(int64_t index, Tensor& batch)>;

/// Which of the two readings it is (0 ranges, 1 histograms) and how many samples it has seen.
using CalibrationProgress = std::function<void(int reading, int64_t samples)>;

/// One reading of the samples: all but the histograms. As calibrate() otherwise.
Ranges measure(const graph::Graph& graph, compute::Executor& executor, const BatchSource& samples,
               const CalibrationProgress& progress = {}, const cluster::Cluster& cluster = cluster::alone());

/// Two readings of the samples: ranges, then histograms between fixed limits. Sums are made sample by sample
/// in order: nothing depends on the number of threads, nor on the batch size where the backend computes a
/// sample alike in every block (oneDNN rounds an Fc of one sample otherwise). The executor runs `graph`, not
/// in training mode. ConfigError if there is no sample or the options are refused, ModelError if a value is
/// not finite. Every rank of a cluster gets the ranges of all samples, those of one process.
Ranges calibrate(const graph::Graph& graph, compute::Executor& executor, const BatchSource& samples,
                 const Options& options, const CalibrationProgress& progress = {},
                 const cluster::Cluster& cluster = cluster::alone());

/// The second reading of calibrate(), where measure() did the first; the ranges as they are where the
/// clipping mode wants no histograms.
Ranges with_histograms(const graph::Graph& graph, compute::Executor& executor, Ranges measured,
                       const BatchSource& samples, const Options& options);

/// Which values become unsigned integers: those whose declared range is >= 0; the network input is one of
/// them when no calibration sample is negative. None if options.allow_unsigned is off.
std::map<graph::ValueId, bool> unsigned_values(const graph::Graph& graph, bool input_is_unsigned,
                                               const Options& options);

}  // namespace n2d2::quantize
