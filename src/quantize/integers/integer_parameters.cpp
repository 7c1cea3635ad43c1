#include "integer_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/quantize/clipping.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

namespace {

double maxabs(std::span<const float> values) {
  double largest = 0;
  for (const float v : values) largest = std::max(largest, std::abs(static_cast<double>(v)));
  return largest;
}

/// The threshold of the clipping mode; infinity when nothing is clipped.
double clipping_threshold(std::span<const float> weights, int bits, const Options& options) {
  const Clipping& mode = weight_clipping(options.weight_clipping);
  const double largest = maxabs(weights);
  if (!mode.needs_histogram || largest == 0) return std::numeric_limits<double>::infinity();
  Histogram histogram(-largest, largest, mode.bins(bits));
  for (const float w : weights) histogram.insert(static_cast<double>(w));
  return mode.threshold(histogram, {bits, true});
}

/// One output while its scale is sought. Weights are read where they lie: networks have as many of them as
/// memory holds.
struct Row {
  std::span<const float> exact;
  double threshold = std::numeric_limits<double>::infinity();
  /// E[x] of each input channel, which `taps` weights beside each other share; empty when nothing is
  /// corrected.
  std::span<const double> expected;
  size_t taps = 1;
  double bias = 0;
  double range = 1;
  /// Integers of given scales reach -qw - 1, others -qw.
  bool makes_use_of_all = false;
  /// What integers are multiples of.
  double unit = 1;

  size_t size() const { return exact.size(); }
  /// Clipped.
  double weight(size_t i) const { return std::clamp(static_cast<double>(exact[i]), -threshold, threshold); }
  double largest() const { return std::min(maxabs(exact), threshold); }
};

/// Ranges that were settled may be a little less than the largest weight.
double integer_weight(const Row& row, size_t i, double qw) {
  const double steps = std::round(row.weight(i) * (qw / row.unit) / row.range);
  return std::clamp(steps * row.unit, row.makes_use_of_all ? -qw - 1 : -qw, qw);
}

/// What the bias makes up for: the mean that rounded weights take from the output.
double bias_correction(const Row& row, double qw) {
  if (row.expected.empty()) return 0;
  double lost = 0;
  for (size_t i = 0; i < row.size(); ++i)
    lost += (static_cast<double>(row.exact[i]) - integer_weight(row, i, qw) * row.range / qw) *
            row.expected[i / row.taps];
  return lost;
}

/// `inside`: sum of the integer weights whose taps lie inside the input.
double integer_bias(const Row& row, double qw, const Scale& in, int64_t inside) {
  const double bias = row.bias + bias_correction(row, qw);
  return std::round(bias * qw * in.full_scale() / (in.threshold * row.range) -
                    in.zero_point * static_cast<double>(inside));
}

template <class W>
void store_weights(const std::vector<Row>& rows, double qw, Tensor& out) {
  W* weights = out.data<W>();
  for (const Row& row : rows)
    for (size_t i = 0; i < row.size(); ++i) *weights++ = static_cast<W>(integer_weight(row, i, qw));
}

/// A layer while the scales of its outputs are sought.
class Layer {
 public:
  Layer(std::vector<Row> rows, Shape shape, const LayerContext& context)
      : context_(context),
        shape_(std::move(shape)),
        type_(integer_type(context.held_bits, true)),
        qw_(weight_full_scale(context.weight_bits, context.held_bits)),
        rows_(std::move(rows)) {}

  std::vector<Row>& rows() { return rows_; }
  double qw() const { return qw_; }
  /// What sums of this layer may be at most.
  double limit() const { return weighted_sum_limit(type_, context_.in.bits); }

  /// To be called when ranges have changed.
  void settle() {
    inside_.clear();
    if (context_.in.zero_point != 0) inside_ = context_.inside_sums(weights());
  }

  double bound(size_t o) const {
    const Row& row = rows_[o];
    double sum = 0, bias = 0;
    for (size_t i = 0; i < row.size(); ++i) sum += std::abs(integer_weight(row, i, qw_));
    for (size_t kind = 0; kind < kinds(); ++kind) bias = std::max(bias, std::abs(bias_of(kind, o)));
    return sum * context_.in.largest_magnitude() + bias;
  }

  Tensor weights() const {
    Tensor out(shape_, type_);
    if (out.dtype() == DataType::I8)
      store_weights<int8_t>(rows_, qw_, out);
    else
      store_weights<int16_t>(rows_, qw_, out);
    return out;
  }

  /// `bound`: of all outputs.
  Tensor biases(double bound) const {
    const auto outputs = static_cast<int64_t>(rows_.size()), rows = static_cast<int64_t>(kinds());
    Tensor out(rows > 1 ? Shape{rows, outputs} : Shape{outputs},
               weighted_sum_type(type_, context_.in.bits, bound));
    if (out.dtype() == DataType::I32)
      store_biases<int32_t>(out);
    else
      store_biases<int64_t>(out);
    return out;
  }

 private:
  size_t kinds() const { return std::max<size_t>(1, inside_.size()); }
  double bias_of(size_t kind, size_t o) const {
    return integer_bias(rows_[o], qw_, context_.in, inside_.empty() ? 0 : inside_[kind].at(o));
  }

  /// A layer whose biases leave the accumulator is refused for its bound; until then they are at its ends.
  template <class B>
  void store_biases(Tensor& out) const {
    const double limit = sum_limit(out.dtype());
    B* biases = out.data<B>();
    for (size_t kind = 0; kind < kinds(); ++kind)
      for (size_t o = 0; o < rows_.size(); ++o)
        *biases++ = static_cast<B>(std::clamp(bias_of(kind, o), -limit, limit));
  }

  const LayerContext& context_;
  Shape shape_;
  DataType type_;
  double qw_;
  std::vector<Row> rows_;
  std::vector<std::vector<int64_t>> inside_;
};

std::vector<Row> rows_of(const Tensor& weights, const Tensor& biases, int64_t outputs,
                         const LayerContext& context) {
  std::vector<Row> rows(static_cast<size_t>(outputs));
  const size_t size = weights.span<float>().size() / rows.size();
  const size_t taps = static_cast<size_t>(context.taps), inputs = size / taps;
  const size_t groups = std::max<size_t>(1, context.expected.size() / inputs);
  for (size_t o = 0; o < rows.size(); ++o) {
    rows[o].exact = weights.span<float>().subspan(o * size, size);
    rows[o].taps = taps;
    if (!context.expected.empty())
      rows[o].expected = std::span(context.expected).subspan(o / (rows.size() / groups) * inputs, inputs);
    rows[o].bias = context.out_zero;
    if (!biases.empty()) rows[o].bias += static_cast<double>(biases.span<float>()[o]);
  }
  return rows;
}

void set_given_ranges(std::vector<Row>& rows, const QuantParams& given, double qw) {
  for (size_t o = 0; o < rows.size(); ++o) {
    rows[o].makes_use_of_all = true;
    rows[o].range = qw * static_cast<double>(given.scale.size() == 1 ? given.scale[0] : given.scale.at(o));
  }
}

void set_ranges(std::vector<Row>& rows, const LayerContext& context, const Options& options) {
  double layer = 0;
  for (Row& row : rows) {
    row.range = row.largest();
    layer = std::max(layer, row.range);
  }
  for (size_t o = 0; o < rows.size(); ++o) {
    Row& row = rows[o];
    if (!options.per_output) row.range = layer;
    if (row.range == 0) row.range = 1;
    if (context.settle) row.range = context.settle(o, row.range);
  }
}

/// Doubles w_o where a sum could leave the accumulator; all of them when the layer has one.
void fit_accumulator(Layer& layer, const Options& options, IntegerParameters& out) {
  const double limit = layer.limit();
  std::vector<Row>& rows = layer.rows();
  for (size_t o = 0; o < rows.size(); ++o) {
    const double before = rows[o].range;
    for (; layer.bound(o) > limit; layer.settle()) rows[o].range *= 2;
    if (rows[o].range == before) continue;
    out.doubled_outputs.push_back(static_cast<int64_t>(o));
    if (options.per_output) continue;
    for (Row& row : rows) row.range = rows[o].range;
    layer.settle();
  }
}

}  // namespace

int64_t weight_unit(int bits, int held) {
  return int64_t{1} << std::max(0, std::min(held, kBitsOfByte) - bits);
}

double weight_full_scale(int bits, int held) {
  return static_cast<double>(((int64_t{1} << (bits - 1)) - 1) * weight_unit(bits, held));
}

IntegerParameters integer_parameters(const Tensor& weights, const Tensor& biases, int64_t outputs,
                                     const LayerContext& context, const Options& options) {
  const QuantParams* given = context.given;
  IntegerParameters out;
  std::vector<Row> rows = rows_of(weights, biases, outputs, context);
  if (given == nullptr) {
    const auto all = weights.span<float>();
    const double threshold = clipping_threshold(all, context.weight_bits, options);
    for (Row& row : rows) row.threshold = threshold;
    const auto unit = static_cast<double>(weight_unit(context.weight_bits, context.held_bits));
    for (Row& row : rows) row.unit = unit;
    out.clipped_weights = std::count_if(
        all.begin(), all.end(), [&](float w) { return std::abs(static_cast<double>(w)) > threshold; });
  }
  for (size_t o = 0; o < rows.size(); ++o)
    if (rows[o].largest() == 0) out.dead_outputs.push_back(static_cast<int64_t>(o));
  Layer layer(std::move(rows), weights.shape(), context);
  if (given != nullptr)
    set_given_ranges(layer.rows(), *given, layer.qw());
  else
    set_ranges(layer.rows(), context, options);
  layer.settle();
  if (given == nullptr) fit_accumulator(layer, options, out);
  for (size_t o = 0; o < layer.rows().size(); ++o) {
    const Row& row = layer.rows()[o];
    out.ranges.push_back(row.range);
    out.bounds.push_back(layer.bound(o));
    out.accumulator_bound = std::max(out.accumulator_bound, out.bounds.back());
    out.bias_correction = std::max(out.bias_correction, std::abs(bias_correction(row, layer.qw())));
  }
  out.weights = layer.weights();
  out.biases = layer.biases(out.accumulator_bound);
  return out;
}

void check_given(const graph::Node& node, int given_bits, int bits, int bits_of_input,
                 const IntegerParameters& parameters) {
  if (given_bits > bits)
    throw ExportError(fmt::format("{}: the model's weights are of {} bits, the export is of {}",
                                  subject(node), given_bits, bits),
                      node.origin, fmt::format("'-nbbits {}'", given_bits));
  if (parameters.accumulator_bound > weighted_sum_limit(parameters.weights.dtype(), bits_of_input))
    throw ExportError(
        fmt::format("{}: with the scales of the model, sums reach {:.6g}, more than the accumulator holds",
                    subject(node), parameters.accumulator_bound),
        node.origin, "calibrate the float model");
}

std::vector<std::string> notes_of(const IntegerParameters& parameters) {
  std::vector<std::string> notes;
  const auto list = [](const std::vector<int64_t>& outputs) {
    std::string text;
    for (const int64_t o : outputs) text += (text.empty() ? "" : ", ") + std::to_string(o);
    return text;
  };
  if (!parameters.dead_outputs.empty())
    notes.push_back("all weights are 0 for output " + list(parameters.dead_outputs));
  if (!parameters.doubled_outputs.empty())
    notes.push_back("weight scale doubled so that the accumulator fits, output " +
                    list(parameters.doubled_outputs));
  return notes;
}

}  // namespace n2d2::quantize
