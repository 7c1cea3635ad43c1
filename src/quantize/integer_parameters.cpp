#include "integer_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/quantize/clipping.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

namespace {

double maxabs(std::span<const double> values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

/// Clamps the weights to the threshold of the clipping mode (spec quantization 3.4); returns how many moved.
int64_t clip(std::vector<double>& weights, const Options& options) {
  const Clipping& mode = clipping(options.weight_clipping, "-wt-clipping-mode");
  const double largest = maxabs(weights);
  if (!mode.needs_histogram || largest == 0) return 0;
  Histogram histogram(-largest, largest, histogram_bins(options.bits));
  for (const double w : weights) histogram.insert(w);
  const double threshold = mode.threshold(histogram, {options.bits, true});
  int64_t moved = 0;
  for (double& w : weights) {
    moved += std::abs(w) > threshold ? 1 : 0;
    w = std::clamp(w, -threshold, threshold);
  }
  return moved;
}

/// One output while its scale is sought.
struct Row {
  std::span<const double> weights;
  /// The same before clipping, and E[x] of each; empty when nothing is corrected.
  std::span<const float> exact;
  std::span<const double> expected;
  double bias = 0;
  double range = 1;
};

double weight_full_scale(int bits) {
  return static_cast<double>((int64_t{1} << (bits - 1)) - 1);
}

double integer_weight(double w, const Row& row, double qw) {
  return std::round(w * qw / row.range);
}

/// What the bias makes up for: the mean that rounded weights take from the output.
double bias_correction(const Row& row, double qw) {
  double lost = 0;
  for (size_t i = 0; i < row.expected.size(); ++i)
    lost += (static_cast<double>(row.exact[i]) - integer_weight(row.weights[i], row, qw) * row.range / qw) *
            row.expected[i];
  return lost;
}

double integer_bias(const Row& row, double qw, const Scale& in) {
  const double bias = row.bias + bias_correction(row, qw);
  return std::round(bias * qw * in.full_scale() / (in.threshold * row.range));
}

double bound(const Row& row, double qw, const Scale& in) {
  double sum = 0;
  for (const double w : row.weights) sum += std::abs(integer_weight(w, row, qw));
  return sum * in.largest_magnitude() + std::abs(integer_bias(row, qw, in));
}

/// A layer whose biases leave the accumulator is refused for its bound; until then they are at its ends.
template <class W, class B>
void store(const std::vector<Row>& rows, double qw, const Scale& in, double limit, IntegerParameters& out) {
  W* weights = out.weights.data<W>();
  B* biases = out.biases.data<B>();
  for (const Row& row : rows) {
    for (const double w : row.weights) *weights++ = static_cast<W>(integer_weight(w, row, qw));
    *biases++ = static_cast<B>(std::clamp(integer_bias(row, qw, in), -limit, limit));
  }
}

void set_given_ranges(std::vector<Row>& rows, const QuantParams& given, double qw) {
  for (size_t o = 0; o < rows.size(); ++o)
    rows[o].range = qw * static_cast<double>(given.scale.size() == 1 ? given.scale[0] : given.scale.at(o));
}

void set_ranges(std::vector<Row>& rows, const Options& options) {
  double layer = 0;
  for (Row& row : rows) {
    row.range = maxabs(row.weights);
    layer = std::max(layer, row.range);
  }
  for (Row& row : rows) {
    if (!options.per_output) row.range = layer;
    if (row.range == 0) row.range = 1;
  }
}

/// Doubles w_o where a sum could leave the accumulator; all of them when the layer has one.
void fit_accumulator(std::vector<Row>& rows, double qw, const Scale& in, const Options& options,
                     IntegerParameters& out) {
  const double limit = sum_limit(options.bits);
  for (size_t o = 0; o < rows.size(); ++o) {
    const double before = rows[o].range;
    while (bound(rows[o], qw, in) > limit) rows[o].range *= 2;
    if (rows[o].range == before) continue;
    out.doubled_outputs.push_back(static_cast<int64_t>(o));
    if (!options.per_output)
      for (Row& row : rows) row.range = rows[o].range;
  }
}

}  // namespace

IntegerParameters integer_parameters(const Tensor& weights, const Tensor& biases, int64_t outputs,
                                     const LayerContext& context, const Options& options) {
  const auto& [in, given, expected] = context;
  IntegerParameters out;
  const auto source = weights.span<float>();
  std::vector<double> clipped(source.begin(), source.end());
  if (given == nullptr) out.clipped_weights = clip(clipped, options);
  const size_t row_size = clipped.size() / static_cast<size_t>(outputs);
  std::vector<Row> rows(static_cast<size_t>(outputs));
  for (size_t o = 0; o < rows.size(); ++o) {
    rows[o].weights = std::span<const double>(clipped).subspan(o * row_size, row_size);
    if (!expected.empty()) {
      rows[o].exact = source.subspan(o * row_size, row_size);
      rows[o].expected = std::span(expected).subspan(o * row_size, row_size);
    }
    if (!biases.empty()) rows[o].bias = biases.span<float>()[o];
    if (maxabs(rows[o].weights) == 0) out.dead_outputs.push_back(static_cast<int64_t>(o));
  }
  const double qw = weight_full_scale(options.bits);
  if (given != nullptr)
    set_given_ranges(rows, *given, qw);
  else
    set_ranges(rows, options);
  if (given == nullptr) fit_accumulator(rows, qw, in, options, out);
  for (const Row& row : rows) {
    out.ranges.push_back(row.range);
    out.bounds.push_back(bound(row, qw, in));
    out.accumulator_bound = std::max(out.accumulator_bound, out.bounds.back());
    out.bias_correction = std::max(out.bias_correction, std::abs(bias_correction(row, qw)));
  }
  out.weights = Tensor(weights.shape(), integer_type(options.bits, true));
  out.biases = Tensor(Shape{outputs}, sum_type(options.bits));
  const double limit = sum_limit(options.bits);
  if (sum_type(options.bits) == DataType::I32)
    store<int8_t, int32_t>(rows, qw, in, limit, out);
  else
    store<int16_t, int64_t>(rows, qw, in, limit, out);
  return out;
}

}  // namespace n2d2::quantize
