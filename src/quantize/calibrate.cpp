#include "n2d2/quantize/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "n2d2/base/parallel.hpp"
#include "n2d2/passes/declared_range.hpp"
#include "n2d2/quantize/clipping.hpp"

namespace n2d2::quantize {

namespace {

constexpr double kSmallestLimit = 0.1;

struct Observed {
  graph::ValueId id;
  Statistics statistics;
};

std::vector<Observed> observed_values(const graph::Graph& graph) {
  std::vector<Observed> out;
  for (const graph::ValueId id : graph.values())
    if (!graph.value(id).is_constant()) out.push_back({id, {}});
  return out;
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

/// Adds the samples of one batch, each with its own sums, in order.
void add_range(const graph::Graph& graph, Observed& observed, const Tensor& batch, int64_t first_sample) {
  const int64_t samples = batch.shape().n(), size = batch.elements() / samples;
  const float* data = batch.data<float>();
  Statistics& s = observed.statistics;
  for (int64_t n = 0; n < samples; ++n) {
    double sum = 0, sum_of_squares = 0;
    double low = data[n * size], high = low;
    for (int64_t i = n * size; i < (n + 1) * size; ++i) {
      const double x = data[i];
      sum += x;
      sum_of_squares += x * x;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (!std::isfinite(sum_of_squares)) report_not_finite(graph, observed.id, first_sample + n);
    s.smallest = s.count == 0 ? low : std::min(s.smallest, low);
    s.min = std::min(s.min, low);
    s.max = std::max(s.max, high);
    s.count += static_cast<uint64_t>(size);
    s.sum += sum;
    s.sum_of_squares += sum_of_squares;
  }
}

void add_histogram(Observed& observed, const Tensor& batch) {
  Histogram& histogram = *observed.statistics.histogram;
  for (const float x : batch.span<float>()) histogram.insert(x);
}

/// One reading of all samples; returns their number.
int64_t read_samples(const graph::Graph& graph, compute::Executor& executor, const BatchSource& samples,
                     std::vector<Observed>& values, int reading, const CalibrationProgress& progress) {
  const graph::ValueId input = graph.inputs().at(0);
  int64_t seen = 0;
  Tensor batch;
  for (int64_t index = 0; samples(index, batch); ++index) {
    N2D2_CHECK(batch.shape().rank() == 4 && batch.shape().n() >= 1, "calibration batch {} is {}", index,
               batch.shape().text());
    executor.forward(batch);
    std::vector<Tensor> read(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i].id != input) read[i] = executor.read(values[i].id);
    parallel_for(static_cast<int64_t>(values.size()), [&](int64_t i, int) {
      Observed& observed = values[static_cast<size_t>(i)];
      const Tensor& tensor = observed.id == input ? batch : read[static_cast<size_t>(i)];
      if (reading == 0)
        add_range(graph, observed, tensor, seen);
      else
        add_histogram(observed, tensor);
    });
    seen += batch.shape().n();
    if (progress) progress(reading, seen);
  }
  return seen;
}

void make_histograms(const graph::Graph& graph, std::vector<Observed>& values, const Options& options) {
  const graph::ValueId input = graph.inputs().at(0);
  const auto is_input = [&](const Observed& o) { return o.id == input; };
  const bool input_is_unsigned =
      std::find_if(values.begin(), values.end(), is_input)->statistics.smallest >= 0;
  const auto is_unsigned = unsigned_values(graph, input_is_unsigned, options);
  for (Observed& observed : values) {
    const double limit = std::max(kSmallestLimit, observed.statistics.maxabs());
    const double low = is_unsigned.at(observed.id) ? 0 : -limit;
    observed.statistics.histogram.emplace(low, limit, histogram_bins(options.bits));
  }
}

}  // namespace

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

Ranges calibrate(const graph::Graph& graph, compute::Executor& executor, const BatchSource& samples,
                 const Options& options, const CalibrationProgress& progress) {
  check(options);
  N2D2_CHECK(graph.inputs().size() == 1, "a network of {} inputs cannot be calibrated",
             graph.inputs().size());
  std::vector<Observed> values = observed_values(graph);
  Ranges ranges;
  ranges.samples = read_samples(graph, executor, samples, values, 0, progress);
  if (ranges.samples == 0)
    throw ConfigError("-calib: the calibration set is empty", {},
                      "give the database a Validation or Learn part");
  if (clipping(options.activation_clipping, "-act-clipping-mode").needs_histogram) {
    make_histograms(graph, values, options);
    const int64_t again = read_samples(graph, executor, samples, values, 1, progress);
    N2D2_CHECK(again == ranges.samples, "calibration read {} samples first and {} then", ranges.samples,
               again);
  }
  for (Observed& observed : values)
    ranges.values.emplace(graph.value(observed.id).name, std::move(observed.statistics));
  return ranges;
}

}  // namespace n2d2::quantize
