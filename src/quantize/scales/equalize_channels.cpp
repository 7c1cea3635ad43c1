#include "n2d2/quantize/equalize_channels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "n2d2/passes/declared_range.hpp"
#include "n2d2/passes/own_constant.hpp"
#include "n2d2/passes/weight_indices.hpp"

#include "channel_sets.hpp"
#include "constant_channels.hpp"
#include "measure/plain_math.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

constexpr double kLargestFactor = 32;
constexpr int kExponents = 10;
/// So many samples a channel must have room for, however few there are to measure it.
constexpr double kOutlook = 1000;
/// Float sums in another order leave a channel this much above a bound that it reaches.
constexpr double kRounding = 1e-6;

/// The weights of one output that read one channel. A large Fc has ten millions of these.
struct Taps {
  int32_t output, channel_class;
  float largest = 0;
  /// E[x^2] of what they read, of all of them together.
  float power = 0;

  size_t o() const { return static_cast<size_t>(output); }
  size_t k() const { return static_cast<size_t>(channel_class); }
};

/// Weights of one layer as its noise needs them.
struct Reader {
  std::vector<Taps> taps;
  size_t outputs = 0;
  int weight_bits = 8;
  /// By class of the set: sum of squares of the weights that read it.
  std::vector<double> squares;
  /// 1 / E[y^2]: noise counts against the signal it disturbs.
  double importance = 0;
};

double power(const Statistics& s) {
  return s.count ? s.sum_of_squares / static_cast<double>(s.count) : 0;
}

float scaled(float value, double factor) {
  return static_cast<float>(static_cast<double>(value) * factor);
}

/// Shares that channels are brought near to: the largest, and the one in the middle where the largest are so
/// far above it that no factor bridges that.
std::vector<double> levels(std::vector<double> shares) {
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  return *middle * kLargestFactor < 1 ? std::vector<double>{1, *middle} : std::vector<double>{1};
}

/// Channels above the level come down to it.
std::vector<double> factors_of(const ChannelSet& set, const std::vector<double>& shares, double level,
                               double exponent) {
  std::vector<double> factors(set.classes, 1);
  for (size_t k = 0; k < set.classes; ++k) {
    const double share = shares[k] / level;
    if (!set.pinned[k])
      factors[k] = share > 1 ? 1 / share : std::min(plain_exp(-exponent * plain_log(share)), kLargestFactor);
  }
  return factors;
}

class Equalizer {
 public:
  Equalizer(graph::Graph& graph, const Ranges& ranges, const Options& options)
      : graph_(graph), ranges_(ranges), options_(options) {
    for (const auto& [id, range] : passes::declared_ranges(graph))
      if (const auto found = ranges.values.find(id); found != ranges.values.end())
        reach_[id] = reach(found->second, std::max(std::abs(double{range.lo}), std::abs(double{range.hi})));
  }

  /// Scales the channels of one set; whether any factor is not 1.
  bool run(const ChannelSet& set) {
    if (set.readers.empty() || set.makers.empty() || !is_measured(set)) return false;
    std::vector<Reader> readers;
    for (const NodeId id : set.readers) readers.push_back(describe(set, graph_.node(id)));
    const std::vector<double> shares = shares_of_range(set);
    std::vector<double> best(set.classes, 1);
    double least = noise(set, readers, best);
    for (const double level : levels(shares))
      for (int exponent = 1; exponent <= kExponents; ++exponent) {
        const auto factors = factors_of(set, shares, level, static_cast<double>(exponent) / kExponents);
        const double now = noise(set, readers, factors);
        if (now >= least || !keeps_bounds(set, factors)) continue;
        least = now;
        best = factors;
      }
    if (std::all_of(best.begin(), best.end(), [](double f) { return f == 1; })) return false;
    apply(set, best);
    return true;
  }

 private:
  const Statistics& statistics(ValueId id) const { return ranges_.values.at(id); }

  /// Returns, for each channel, the largest magnitude to be expected in kOutlook samples, if the largest
  /// magnitude of one sample follows a Gumbel distribution. The expected magnitude is at most `limit`. The
  /// result is at least the largest magnitude measured.
  std::vector<double> reach(const Statistics& s, double limit) const {
    const auto n = static_cast<double>(ranges_.samples);
    std::vector<double> out = s.channel_peaks;
    for (size_t c = 0; n > 1 && c < out.size(); ++c) {
      const double mean = s.channel_peak_sums[c] / n;
      const double variance = (s.channel_peak_squares[c] - n * mean * mean) / (n - 1);
      const double scale = std::sqrt(6 * std::max(0.0, variance)) / std::numbers::pi;
      out[c] = std::max(out[c], std::min(limit, mean + scale * plain_log(kOutlook)));
    }
    return out;
  }

  bool is_measured(const ChannelSet& set) const {
    return std::all_of(set.values.begin(), set.values.end(),
                       [&](const auto& entry) { return ranges_.values.contains(entry.first); });
  }

  /// Returns, for each class, the geometric mean over its channels of the largest magnitude of the channel
  /// divided by the largest magnitude of the value that has the channel. Channels that are always 0 do not
  /// count; a class without any other channel gets 1.
  std::vector<double> shares_of_range(const ChannelSet& set) const {
    std::vector<double> logs(set.classes, 0);
    std::vector<int> seen(set.classes, 0);
    for (const auto& [id, classes] : set.values) {
      const std::vector<double>& peaks = reach_.at(id);
      const double largest = *std::max_element(peaks.begin(), peaks.end());
      for (size_t c = 0; c < peaks.size(); ++c) {
        if (peaks[c] == 0) continue;
        logs[classes[c]] += plain_log(peaks[c] / largest);
        ++seen[classes[c]];
      }
    }
    for (size_t k = 0; k < set.classes; ++k) logs[k] = seen[k] > 0 ? plain_exp(logs[k] / seen[k]) : 1;
    return logs;
  }

  Reader describe(const ChannelSet& set, const graph::Node& node) const {
    const std::vector<size_t>& classes = set.values.at(node.inputs.at(0));
    const Statistics& in = statistics(node.inputs[0]);
    const auto weights = graph_.value(node.inputs.at(1)).constant->span<float>();
    const passes::WeightIndices indices(graph_, node, static_cast<int64_t>(classes.size()));
    Reader reader;
    const bool is_depthwise =
        graph::integer_form(graph_, node).is_depthwise(static_cast<int64_t>(classes.size()));
    reader.weight_bits = options_.widths.weights(node.name, is_depthwise, options_.bits);
    reader.outputs = static_cast<size_t>(indices.outputs());
    const double signal = power(statistics(node.outputs.at(0)));
    reader.importance = signal > 0 ? 1 / signal : 0;
    reader.squares.assign(set.classes, 0);
    for (size_t c = 0; c < classes.size(); ++c) {
      const size_t first = reader.taps.size();
      indices.for_channel(static_cast<int64_t>(c), [&](int64_t o, size_t i) {
        const auto output = static_cast<int32_t>(o);
        if (reader.taps.size() == first || reader.taps.back().output != output)
          reader.taps.push_back({output, static_cast<int32_t>(classes[c])});
        const double w = weights[i];
        reader.squares[classes[c]] += w * w;
        reader.taps.back().largest = std::max(reader.taps.back().largest, std::abs(weights[i]));
        reader.taps.back().power += static_cast<float>(in.channel_power(c));
      });
    }
    return reader;
  }

  /// Mean square of what rounding adds to the outputs of the readers, each against its signal.
  double noise(const ChannelSet& set, const std::vector<Reader>& readers,
               const std::vector<double>& factors) const {
    double total = 0;
    for (const Reader& reader : readers) total += reader.importance * weight_noise(reader, factors);
    for (const auto& [id, classes] : set.values) {
      const double step = threshold(id, classes, factors) / full_scale(id);
      for (const size_t k : classes)
        for (const Reader& reader : readers)
          total += reader.importance * reader.squares[k] * step * step / (factors[k] * factors[k]);
    }
    return total;
  }

  /// Steps of a value that has no negative one are half as large.
  double full_scale(ValueId id) const {
    const bool is_signed = !options_.allow_unsigned || statistics(id).smallest < 0;
    const NodeId producer = graph_.value(id).producer;
    const int bits =
        producer ? options_.widths.activations(graph_.node(producer).name, options_.bits) : options_.bits;
    return QuantParams{bits, is_signed, -1, {}}.full_scale();
  }

  double threshold(ValueId id, const std::vector<size_t>& classes, const std::vector<double>& factors) const {
    const std::vector<double>& peaks = reach_.at(id);
    double largest = 0;
    for (size_t c = 0; c < peaks.size(); ++c) largest = std::max(largest, peaks[c] * factors[classes[c]]);
    return largest;
  }

  double weight_noise(const Reader& reader, const std::vector<double>& factors) const {
    std::vector<double> largest(reader.outputs, 0);
    for (const Taps& taps : reader.taps)
      largest[taps.o()] = std::max(largest[taps.o()], taps.largest / factors[taps.k()]);
    if (!options_.per_output)
      largest.assign(reader.outputs, *std::max_element(largest.begin(), largest.end()));
    const double full_scale = QuantParams{reader.weight_bits, true, -1, {}}.full_scale();
    double total = 0;
    for (const Taps& taps : reader.taps) {
      const double step = largest[taps.o()] / full_scale, factor = factors[taps.k()];
      total += step * step * taps.power * factor * factor;
    }
    return total;
  }

  /// What a bound becomes: that of the channels that reach it, else the largest value. None when channels
  /// that reach it have different factors, or another would be clipped.
  std::optional<double> new_bound(const ChannelSet& set, const graph::Node& node,
                                  const std::vector<double>& factors) const {
    const ValueId out = node.outputs.at(0);
    const std::vector<size_t>& classes = set.values.at(out);
    const std::vector<double>& peaks = reach_.at(out);
    const double bound = static_cast<double>(node.clamp->hi);
    double largest = 0, lowest = std::numeric_limits<double>::infinity();
    bool is_reached = false;
    for (size_t c = 0; c < peaks.size(); ++c) {
      const double factor = factors[classes[c]];
      largest = std::max(largest, factor * peaks[c]);
      if (peaks[c] < bound * (1 - kRounding)) continue;
      is_reached = true;
      lowest = std::min(lowest, factor * bound);
    }
    if (!is_reached) return largest > 0 ? largest : bound;
    if (largest > lowest * (1 + kRounding)) return {};
    return lowest;
  }

  bool keeps_bounds(const ChannelSet& set, const std::vector<double>& factors) const {
    return std::all_of(set.bounded.begin(), set.bounded.end(),
                       [&](NodeId id) { return new_bound(set, graph_.node(id), factors).has_value(); });
  }

  void apply(const ChannelSet& set, const std::vector<double>& factors) {
    for (const NodeId id : set.bounded) {
      Clamp clamp = *graph_.node(id).clamp;
      clamp.hi = static_cast<float>(*new_bound(set, graph_.node(id), factors));
      graph_.set_clamp(id, clamp);
    }
    for (const NodeId id : set.makers)
      scale_outputs(id, set.values.at(graph_.node(id).outputs.at(0)), factors);
    for (const NodeId id : set.readers)
      scale_inputs(id, set.values.at(graph_.node(id).inputs.at(0)), factors);
  }

  void scale_outputs(NodeId id, const std::vector<size_t>& classes, const std::vector<double>& factors) {
    for (size_t slot = 1; slot < graph_.node(id).inputs.size(); ++slot) {
      const auto values = graph_.mutable_constant(passes::own_constant(graph_, id, slot)).span<float>();
      const size_t row = values.size() / classes.size();
      for (size_t i = 0; i < values.size(); ++i) values[i] = scaled(values[i], factors[classes[i / row]]);
    }
  }

  void scale_inputs(NodeId id, const std::vector<size_t>& classes, const std::vector<double>& factors) {
    const auto weights = graph_.mutable_constant(passes::own_constant(graph_, id, 1)).span<float>();
    const passes::WeightIndices indices(graph_, graph_.node(id), static_cast<int64_t>(classes.size()));
    for (size_t c = 0; c < classes.size(); ++c)
      indices.for_channel(static_cast<int64_t>(c), [&](int64_t, size_t i) {
        weights[i] = scaled(weights[i], 1 / factors[classes[c]]);
      });
  }

  graph::Graph& graph_;
  const Ranges& ranges_;
  const Options& options_;
  std::map<ValueId, std::vector<double>> reach_;
};

}  // namespace

int equalize_channels(graph::Graph& graph, const Ranges& ranges, const Options& options) {
  settle_constant_channels(graph, ranges);
  Equalizer equalizer(graph, ranges, options);
  int values = 0;
  for (const ChannelSet& set : channel_sets(graph))
    if (equalizer.run(set)) values += static_cast<int>(set.values.size());
  return values;
}

}  // namespace n2d2::quantize
