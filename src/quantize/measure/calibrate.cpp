#include "n2d2/quantize/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <vector>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/cluster/message.hpp"
#include "n2d2/passes/declared_range.hpp"
#include "n2d2/quantize/clipping.hpp"
#include "n2d2/quantize/value_widths.hpp"

#include "softmax_inputs.hpp"
#include "sums_of_ranks.hpp"

namespace n2d2::quantize {

namespace {

constexpr double kSmallestLimit = 0.1;

std::vector<Observed> observed_values(const graph::Graph& graph) {
  std::vector<Observed> out;
  for (const graph::ValueId id : graph.values())
    if (!graph.value(id).is_constant()) out.push_back({id, {}});
  return out;
}

int64_t elements_of_sample(const graph::Graph& graph, graph::ValueId id) {
  const Shape& shape = graph.value(id).type.shape;
  return shape.with_batch(1).elements();
}

[[noreturn]] void report_not_finite(const graph::Graph& graph, graph::ValueId id, int64_t sample) {
  const graph::Value& value = graph.value(id);
  const SourceLocation where = value.producer ? graph.node(value.producer).origin : SourceLocation{};
  const std::string what =
      value.producer ? subject(graph.node(value.producer)) : fmt::format("network input '{}'", value.name);
  throw ModelError(
      fmt::format("{}: expected finite values, got infinity or NaN for calibration sample {}", what, sample),
      where, "check the weights, and the transformations of the data");
}

/// What is measured of each channel of one sample.
struct ChannelSums {
  ChannelSums() = default;
  explicit ChannelSums(size_t channels) : sums(channels), squares(channels), peaks(channels) {}
  std::vector<double> sums, squares, peaks;
};

/// Sums of the values of one sample.
struct SampleSums {
  double sum = 0, squares = 0;
  float low = 0, high = 0;
  ChannelSums channels;
};

/// Lanes are summed apart and then in order: the same sums with vectors of any width. Squares of floats are
/// exact.
N2D2_CLONES
SampleSums sums_of(const float* values, int64_t count) {
  constexpr int64_t kLanes = 32;
  std::array<double, kLanes> sum{}, squares{};
  std::array<float, kLanes> low, high;
  low.fill(values[0]);
  high.fill(values[0]);
  const auto add = [&](int64_t lane, float value) {
    const auto l = static_cast<size_t>(lane);
    const auto x = static_cast<double>(value);
    sum[l] += x;
    squares[l] += x * x;
    low[l] = value < low[l] ? value : low[l];
    high[l] = value > high[l] ? value : high[l];
  };
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane) add(lane, values[i + lane]);
  for (int64_t lane = 0; i < count; ++i, ++lane) add(lane, values[i]);
  SampleSums out{0, 0, values[0], values[0], {}};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    out.sum += sum[lane];
    out.squares += squares[lane];
    out.low = std::min(out.low, low[lane]);
    out.high = std::max(out.high, high[lane]);
  }
  return out;
}

/// Channels that are planes of `pixels` values. As above, with fewer lanes: planes are small.
N2D2_CLONES
void sum_planes(const float* values, int64_t pixels, ChannelSums& out) {
  constexpr int64_t kLanes = 8;
  for (size_t c = 0; c < out.sums.size(); ++c) {
    std::array<double, kLanes> sum{}, squares{}, peak{};
    const auto add = [&](int64_t lane, float value) {
      const auto l = static_cast<size_t>(lane);
      const auto x = static_cast<double>(value);
      sum[l] += x;
      squares[l] += x * x;
      const double magnitude = x < 0 ? -x : x;
      peak[l] = magnitude > peak[l] ? magnitude : peak[l];
    };
    int64_t i = 0;
    for (; i + kLanes <= pixels; i += kLanes)
      for (int64_t lane = 0; lane < kLanes; ++lane) add(lane, values[i + lane]);
    for (int64_t lane = 0; i < pixels; ++i, ++lane) add(lane, values[i]);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      out.sums[c] += sum[lane];
      out.squares[c] += squares[lane];
      out.peaks[c] = std::max(out.peaks[c], peak[lane]);
    }
    values += pixels;
  }
}

/// Channels that lie side by side in each pixel.
N2D2_CLONES
void sum_pixels(const float* __restrict values, int64_t pixels, int64_t channels, double* __restrict sums,
                double* __restrict squares, double* __restrict peaks) {
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    for (int64_t c = 0; c < channels; ++c) {
      const auto x = static_cast<double>(values[pixel * channels + c]);
      sums[c] += x;
      squares[c] += x * x;
      const double magnitude = x < 0 ? -x : x;
      peaks[c] = magnitude > peaks[c] ? magnitude : peaks[c];
    }
}

ChannelSums sum_channels(const float* values, Layout layout, int64_t pixels, int64_t channels) {
  ChannelSums out(static_cast<size_t>(channels));
  if (layout == Layout::Nchw)
    sum_planes(values, pixels, out);
  else
    sum_pixels(values, pixels, channels, out.sums.data(), out.squares.data(), out.peaks.data());
  return out;
}

/// First reading: sums of each sample, added in the order of the samples. Threads see samples of other blocks
/// first: what is ahead of its turn waits, as little as the threads are apart. In a cluster all sums of a
/// batch wait until those of the batches before have come.
class RangeReading {
 public:
  RangeReading(const graph::Graph& graph, std::vector<Observed>& values, const cluster::Cluster& cluster)
      : graph_(graph),
        values_(values),
        cluster_(cluster),
        of_ranks_(graph, values, cluster),
        turns_(values.size()) {}

  void see(size_t value, const compute::Observation& seen) {
    const int64_t size = static_cast<int64_t>(seen.data.size()) / seen.count;
    const int64_t channels = graph_.value(values_[value].id).type.shape.c();
    Turn& turn = turns_[value];
    for (int64_t n = 0; n < seen.count; ++n) {
      const float* sample = seen.data.data() + n * size;
      SampleSums sums = sums_of(sample, size);
      sums.channels = sum_channels(sample, seen.layout, size / channels, channels);
      const std::lock_guard lock(turn.lock);
      turn.ahead.emplace(seen.first + n, std::move(sums));
      if (cluster_.is_alone()) add_those_next(value);
    }
  }

  /// After a batch: `read` is the number of samples before it, and then those with it.
  void end(int64_t& read, int64_t samples) {
    if (!cluster_.is_alone()) {
      of_ranks_.take_over(read);
      parallel_for(static_cast<int64_t>(values_.size()),
                   [&](int64_t value, int) { add_those_next(static_cast<size_t>(value)); });
    }
    for (size_t value = 0; value < values_.size(); ++value) {
      Turn& turn = turns_[value];
      N2D2_CHECK(turn.ahead.empty(), "sample {} of a batch was not seen", turn.next);
      if (turn.not_finite >= 0) report_not_finite(graph_, values_[value].id, read + turn.not_finite);
      turn.next = 0;
    }
    read += samples;
    if (!cluster_.is_alone()) of_ranks_.hand_on(read);
  }

  /// After the last batch of this rank: the sums over the samples of all ranks.
  void finish(int64_t& read) {
    if (!cluster_.is_alone()) of_ranks_.finish(read);
  }

 private:
  /// Samples of the batch by which a value has been added up, and those that came before their turn.
  struct Turn {
    std::mutex lock;
    int64_t next = 0;
    std::map<int64_t, SampleSums> ahead;
    int64_t not_finite = -1;  ///< the first sample that is; -1: none
  };

  void add_those_next(size_t value) {
    Turn& turn = turns_[value];
    for (; !turn.ahead.empty() && turn.ahead.begin()->first == turn.next; ++turn.next)
      add(value, turn.ahead.extract(turn.ahead.begin()).mapped());
  }

  void add(size_t value, const SampleSums& sample) {
    Observed& observed = values_[value];
    if (!std::isfinite(sample.squares) && turns_[value].not_finite < 0)
      turns_[value].not_finite = turns_[value].next;
    Statistics& s = observed.statistics;
    const double low = sample.low, high = sample.high;
    s.smallest = s.count == 0 ? low : std::min(s.smallest, low);
    s.min = std::min(s.min, low);
    s.max = std::max(s.max, high);
    s.count += static_cast<uint64_t>(elements_of_sample(graph_, observed.id));
    s.sum += sample.sum;
    s.sum_of_squares += sample.squares;
    add(s.channel_sums, sample.channels.sums);
    add(s.channel_squares, sample.channels.squares);
    add(s.channel_peak_sums, sample.channels.peaks);
    s.channel_peak_squares.resize(sample.channels.peaks.size());
    s.channel_peaks.resize(sample.channels.peaks.size());
    for (size_t c = 0; c < s.channel_peaks.size(); ++c) {
      const double peak = sample.channels.peaks[c];
      s.channel_peaks[c] = std::max(s.channel_peaks[c], peak);
      s.channel_peak_squares[c] += peak * peak;
    }
  }

  static void add(std::vector<double>& totals, const std::vector<double>& sample) {
    totals.resize(sample.size());
    for (size_t c = 0; c < sample.size(); ++c) totals[c] += sample[c];
  }

  const graph::Graph& graph_;
  std::vector<Observed>& values_;
  const cluster::Cluster& cluster_;
  SumsOfRanks of_ranks_;
  std::vector<Turn> turns_;  // of each value
};

/// Second reading: how often values fall between the limits that the first has found.
class HistogramReading {
 public:
  HistogramReading(std::vector<Observed>& values, const cluster::Cluster& cluster)
      : values_(values),
        cluster_(cluster),
        locks_(values.size()),
        counts_(static_cast<size_t>(max_threads())) {}

  void see(size_t value, const compute::Observation& seen) {
    Histogram& histogram = *values_[value].statistics.histogram;
    BinCounts& counts = counts_[static_cast<size_t>(seen.thread)];
    counts.count(histogram, seen.data);
    const std::lock_guard lock(locks_[value]);
    histogram.insert(counts);
  }
  void end(int64_t& read, int64_t samples) { read += samples; }

  void finish(int64_t& read) {
    if (cluster_.is_alone()) return;
    std::vector<uint64_t> counts{static_cast<uint64_t>(read)};
    for (const Observed& observed : values_) {
      const auto own = observed.statistics.histogram->counts();
      counts.insert(counts.end(), own.begin(), own.end());
    }
    cluster_.add(counts);
    read = static_cast<int64_t>(counts.front());
    std::span<const uint64_t> left = std::span(counts).subspan(1);
    for (Observed& observed : values_) {
      Histogram& histogram = *observed.statistics.histogram;
      histogram.set_counts(left.first(histogram.counts().size()));
      left = left.subspan(histogram.counts().size());
    }
  }

 private:
  std::vector<Observed>& values_;
  const cluster::Cluster& cluster_;
  std::vector<std::mutex> locks_;
  std::vector<BinCounts> counts_;  // of each thread
};

void make_histograms(const graph::Graph& graph, std::vector<Observed>& values, const Options& options) {
  const graph::ValueId input = graph.inputs().at(0);
  const auto is_input = [&](const Observed& o) { return o.id == input; };
  const bool input_is_unsigned =
      std::find_if(values.begin(), values.end(), is_input)->statistics.smallest >= 0;
  const auto is_unsigned = unsigned_values(graph, input_is_unsigned, options);
  const Clipping& mode = clipping(options.activation_clipping, "-act-clipping-mode");
  const auto widths = value_widths(graph, options.widths, options.bits);
  for (Observed& observed : values) {
    const double limit = std::max(kSmallestLimit, observed.statistics.maxabs());
    // A scale that came with the model may clip what is below 0.
    const bool from_zero = is_unsigned.at(observed.id) && observed.statistics.min >= 0;
    const double low = from_zero ? 0 : -limit;
    const int bits = std::max(options.bits, widths.at(observed.id).reached);
    observed.statistics.histogram.emplace(low, limit, mode.bins(bits));
  }
}

/// Whether all pixels of each channel are equal; of a sample of one pixel, all channels.
bool is_constant(std::span<const float> sample, const Shape& shape) {
  const auto pixels = static_cast<size_t>(shape.h() * shape.w());
  const size_t run = pixels > 1 ? pixels : sample.size();
  if (run < 2) return false;
  for (size_t i = 0; i < sample.size(); ++i)
    if (sample[i] != sample[i - i % run]) return false;
  return true;
}

/// One run of the samples through the network, or two.
class Calibration {
 public:
  /// The first reading.
  Calibration(const graph::Graph& graph, compute::Executor& executor, const BatchSource& samples,
              const CalibrationProgress& progress, const cluster::Cluster& cluster)
      : graph_(graph),
        executor_(executor),
        samples_(samples),
        progress_(progress),
        cluster_(cluster),
        values_(observed_values(graph)) {
    N2D2_CHECK(graph.inputs().size() == 1, "a network of {} inputs cannot be calibrated",
               graph.inputs().size());
    read_ = read(0, RangeReading(graph, values_, cluster));
    gather_constant_samples();
    if (read_ == 0)
      throw ConfigError("-calib: the calibration set is empty", {},
                        "give the database a Validation or Learn part");
  }

  /// As if the first reading had found these ranges.
  Calibration(const graph::Graph& graph, compute::Executor& executor, const BatchSource& samples,
              const CalibrationProgress& progress, Ranges measured)
      : graph_(graph),
        executor_(executor),
        samples_(samples),
        progress_(progress),
        cluster_(cluster::alone()),
        read_(measured.samples) {
    constant_samples_ = std::move(measured.constant_samples);
    for (auto& [id, statistics] : measured.values) values_.push_back({id, std::move(statistics)});
  }

  /// The second reading.
  void count(const Options& options) {
    make_histograms(graph_, values_, options);
    const int64_t again = read(1, HistogramReading(values_, cluster_));
    N2D2_CHECK(again == read_, "calibration read {} samples first and {} then", read_, again);
  }

  /// To be called once, at the end.
  Ranges ranges() {
    Ranges ranges;
    ranges.samples = read_;
    ranges.constant_samples = std::move(constant_samples_);
    for (Observed& observed : values_) ranges.values.emplace(observed.id, std::move(observed.statistics));
    return ranges;
  }

 private:
  /// Shows all samples to a reading; returns their number.
  template <class Reading>
  int64_t read(int number, Reading&& reading) {
    std::map<graph::ValueId, size_t> place;
    for (size_t i = 0; i < values_.size(); ++i) place[values_[i].id] = i;
    const SoftmaxInputs softmax_inputs(graph_);
    std::vector<std::vector<float>> rooms(static_cast<size_t>(max_threads()));
    int64_t read = 0;
    Tensor batch;
    for (int64_t index = 0; samples_(index, batch); ++index) {
      const int64_t count = batch.shape().rank() == 4 ? batch.shape().n() : 0;
      N2D2_CHECK(count >= 1, "calibration batch {} is {}", index, batch.shape().text());
      executor_.forward(batch, 0, [&](const compute::Observation& seen) {
        reading.see(place.at(seen.value),
                    softmax_inputs.bounded(seen, rooms[static_cast<size_t>(seen.thread)]));
      });
      reading.end(read, count);
      if (number == 0) find_constant_samples(batch, read - count);
      if (progress_) progress_(number, read);
    }
    reading.finish(read);
    return read;
  }

  /// The samples of all ranks, by their number.
  void gather_constant_samples() {
    if (cluster_.is_alone()) return;
    cluster::Writer own;
    own.put_all(std::span<const int64_t>(constant_samples_));
    constant_samples_.clear();
    for (const cluster::Bytes& of_rank : cluster_.gather(own.bytes()))
      for (const int64_t sample : cluster::Reader(of_rank).get_all<int64_t>())
        constant_samples_.push_back(sample);
    std::sort(constant_samples_.begin(), constant_samples_.end());
  }

  void find_constant_samples(const Tensor& batch, int64_t first) {
    const auto size = static_cast<size_t>(batch.shape().with_batch(1).elements());
    for (int64_t n = 0; n < batch.shape().n(); ++n)
      if (is_constant(batch.span<float>().subspan(static_cast<size_t>(n) * size, size), batch.shape()))
        constant_samples_.push_back(first + n);
  }

  const graph::Graph& graph_;
  compute::Executor& executor_;
  const BatchSource& samples_;
  const CalibrationProgress& progress_;
  const cluster::Cluster& cluster_;
  std::vector<Observed> values_;
  std::vector<int64_t> constant_samples_;
  int64_t read_ = 0;
};

}  // namespace

std::vector<double> Statistics::channel_means() const {
  std::vector<double> means;
  for (size_t c = 0; c < channel_sums.size(); ++c) means.push_back(channel_mean(c));
  return means;
}

double Statistics::channel_mean(size_t channel) const {
  return channel_sums.at(channel) * static_cast<double>(channel_sums.size()) / static_cast<double>(count);
}

double Statistics::channel_power(size_t channel) const {
  return channel_squares.at(channel) * static_cast<double>(channel_squares.size()) /
         static_cast<double>(count);
}

double Statistics::stddev() const {
  if (count == 0) return 0;
  const double variance = sum_of_squares / static_cast<double>(count) - mean() * mean();
  return std::sqrt(std::max(0.0, variance));
}

std::map<graph::ValueId, bool> unsigned_values(const graph::Graph& graph, bool input_is_unsigned,
                                               const Options& options) {
  const Clamp input = input_is_unsigned ? Clamp{0, Clamp{}.hi} : Clamp{};
  std::map<graph::ValueId, bool> out;
  for (const auto& [id, range] : passes::declared_ranges(graph, input))
    out[id] = options.allow_unsigned && range.lo >= 0;
  return out;
}

Ranges measure(const graph::Graph& graph, compute::Executor& executor, const BatchSource& samples,
               const CalibrationProgress& progress, const cluster::Cluster& cluster) {
  return Calibration(graph, executor, samples, progress, cluster).ranges();
}

Ranges calibrate(const graph::Graph& graph, compute::Executor& executor, const BatchSource& samples,
                 const Options& options, const CalibrationProgress& progress,
                 const cluster::Cluster& cluster) {
  check(options);
  Calibration calibration(graph, executor, samples, progress, cluster);
  if (clipping(options.activation_clipping, "-act-clipping-mode").needs_histogram) calibration.count(options);
  return calibration.ranges();
}

Ranges with_histograms(const graph::Graph& graph, compute::Executor& executor, Ranges measured,
                       const BatchSource& samples, const Options& options) {
  check(options);
  if (!clipping(options.activation_clipping, "-act-clipping-mode").needs_histogram) return measured;
  const CalibrationProgress silent;
  Calibration calibration(graph, executor, samples, silent, std::move(measured));
  calibration.count(options);
  return calibration.ranges();
}

}  // namespace n2d2::quantize
