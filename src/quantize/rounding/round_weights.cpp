#include "n2d2/quantize/round_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/csv.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/graph/integer_form.hpp"
#include "n2d2/passes/own_constant.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/quantize/value_widths.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "held_out.hpp"
#include "integers/integer_parameters.hpp"
#include "integers/shift_factors.hpp"
#include "moments.hpp"
#include "simulated_graph.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

/// Shares of the largest weight that are tried as the range of an output where weights have fewer bits than
/// a byte.
constexpr std::array kShares{1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4};

/// One way to round the rows of a layer.
struct Way {
  std::vector<double> steps;  ///< one an output
  RowsToRound rows;
};

N2D2_CLONES
double dot(const double* a, const float* b, int64_t n) {
  constexpr int64_t kLanes = 8;
  std::array<double, kLanes> sums{};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t l = 0; l < kLanes; ++l)
      sums[static_cast<size_t>(l)] += a[i + l] * static_cast<double>(b[i + l]);
  for (int64_t l = 0; i < n; ++i, ++l) sums[static_cast<size_t>(l)] += a[i] * static_cast<double>(b[i]);
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

class Layer {
 public:
  Layer(const graph::Graph& graph, const graph::Graph& integers, const graph::Node& node,
        const Options& options, const LayerMoments& moments)
      : name_(node.name),
        options_(options),
        moments_(moments),
        weights_(graph.value(node.inputs.at(1)).constant->span<float>()),
        outputs_(graph.value(node.inputs.at(1)).type.shape[0]),
        size_(moments.windows.size()) {
    const graph::Node& made = integers.node(integers.find_node(node.name).value());
    const QuantParams& in = *integers.value(made.inputs.at(0)).type.quant;
    bits_ = weight_bits(graph, node, options.widths, options.bits, {in.bits, in.bits});
    limit_ = weighted_sum_limit(DataType::I8, in.bits);
    most_input_ = std::max(static_cast<double>(in.highest()) - in.zero_point,
                           in.zero_point - static_cast<double>(in.lowest()));
    const QuantParams& from = *integers.value(made.outputs.at(0)).type.quant;
    out_zero_ = std::abs(from.zero_point * static_cast<double>(from.scale.at(0)));
    const QuantParams& quant = *integers.value(made.inputs.at(1)).type.quant;
    for (int64_t o = 0; o < outputs_; ++o)
      nearest_.steps.push_back(quant.threshold_of(quant.scale.size() == 1 ? 0 : static_cast<size_t>(o)) /
                               most());
    is_of_layer_ = quant.scale.size() == 1;
    if (node.inputs.size() > 2) {
      const auto biases = graph.value(node.inputs[2]).constant->span<float>();
      N2D2_CHECK(static_cast<int64_t>(biases.size()) == outputs_, "'{}' has {} biases", node.name,
                 biases.size());
      biases_.assign(biases.begin(), biases.end());
    }
    biases_.resize(static_cast<size_t>(outputs_));
  }

  RoundedLayer round() {
    set_rows(nearest_);
    nearest_.rows.rounded.resize(nearest_.rows.exact.size());
    for (size_t i = 0; i < nearest_.rows.exact.size(); ++i)
      nearest_.rows.rounded[i] =
          static_cast<int32_t>(std::clamp(std::round(nearest_.rows.exact[i]), -most(), most()));
    chosen_ = nearest_;
    if (bits_ < kBitsOfByte && !is_of_layer_) seek_steps();
    round_blocks();
    return choose();
  }

  /// Fills in what was chosen; false where a sum may leave the accumulator.
  bool fill(RoundedLayer& out) const {
    const auto unit = static_cast<double>(weight_unit(bits_, held_bits(bits_, options_.bits)));
    out.bits = bits_;
    for (int64_t o = 0; o < outputs_; ++o) {
      const auto scale = static_cast<float>(chosen_.steps[static_cast<size_t>(o)]);
      if (o == 0 || !is_of_layer_) out.scales.push_back(scale);
      double magnitudes = 0, lost = 0;
      for (int64_t i = 0; i < size_; ++i) {
        const auto at = static_cast<size_t>(o * size_ + i);
        const auto integer = static_cast<double>(chosen_.rows.rounded[at]);
        magnitudes += std::abs(integer) * unit;
        out.integers.push_back(static_cast<int8_t>(chosen_.rows.rounded[at]));
        lost += (static_cast<double>(weights_[at]) - integer * static_cast<double>(scale)) *
                moments_.mean(group_of(o), i);
      }
      const double bias = static_cast<double>(biases_[static_cast<size_t>(o)]) + lost * moments_.unit;
      out.biases.push_back(static_cast<float>(bias));
      const double integer_bias =
          (std::abs(bias) + out_zero_) * unit / (static_cast<double>(scale) * moments_.unit);
      // A zero point of the input adds what the weights multiply it with, that of the output itself.
      if (2 * magnitudes * most_input_ + kRoomOfBiases * integer_bias > limit_) return false;
    }
    return true;
  }

 private:
  /// Thresholds that are chosen later make the steps of inputs smaller and biases longer. Beside a bias that
  /// needs this room, no rounding of weights shows.
  static constexpr double kRoomOfBiases = 64;

  double most() const { return static_cast<double>((int64_t{1} << (bits_ - 1)) - 1); }
  int64_t group_of(int64_t output) const { return output / (outputs_ / moments_.windows.groups); }

  void set_rows(Way& way) const {
    way.rows.rows = outputs_, way.rows.size = size_;
    way.rows.most = static_cast<int32_t>(most());
    way.rows.exact.resize(weights_.size());
    for (int64_t o = 0; o < outputs_; ++o)
      for (int64_t i = 0; i < size_; ++i) {
        const auto at = static_cast<size_t>(o * size_ + i);
        way.rows.exact[at] = static_cast<double>(weights_[at]) / way.steps[static_cast<size_t>(o)];
      }
  }

  /// Steps with the least error where inputs vary independently of each other.
  void seek_steps() {
    std::vector<double> variance(static_cast<size_t>(moments_.windows.groups * size_));
    for (const MomentBlock& block : moments_.blocks) {
      const Matrix covariance = moments_.covariance(block);
      for (int64_t i = 0; i < covariance.n; ++i)
        variance[static_cast<size_t>(block.group * size_ + block.first + i)] = covariance.row(i)[i];
    }
    for (int64_t o = 0; o < outputs_; ++o) {
      double least = std::numeric_limits<double>::infinity();
      const double widest = nearest_.steps[static_cast<size_t>(o)];
      for (const double share : kShares) {
        double error = 0;
        for (int64_t i = 0; i < size_; ++i) {
          const double steps =
              static_cast<double>(weights_[static_cast<size_t>(o * size_ + i)]) / (widest * share);
          const double off = steps - std::clamp(std::round(steps), -most(), most());
          error += off * off * variance[static_cast<size_t>(group_of(o) * size_ + i)];
        }
        error *= share * share;
        if (error >= least) continue;
        least = error;
        chosen_.steps[static_cast<size_t>(o)] = widest * share;
      }
    }
    set_rows(chosen_);
  }

  void round_blocks() {
    const int64_t in_group = outputs_ / moments_.windows.groups;
    const auto body = [&](int64_t index, int) {
      const MomentBlock& block = moments_.blocks[static_cast<size_t>(index)];
      const Matrix covariance = moments_.covariance(block);
      RowsToRound rows;
      rows.rows = in_group, rows.size = covariance.n, rows.most = chosen_.rows.most;
      const auto each = [&](const auto& use) {
        for (int64_t o = 0; o < in_group; ++o)
          for (int64_t i = 0; i < covariance.n; ++i)
            use(static_cast<size_t>((block.group * in_group + o) * size_ + block.first + i),
                static_cast<size_t>(o * covariance.n + i));
      };
      rows.exact.resize(static_cast<size_t>(rows.rows * rows.size));
      each([&](size_t at, size_t here) { rows.exact[here] = chosen_.rows.exact[at]; });
      round_in_closed_form(covariance, rows);
      each([&](size_t at, size_t here) { chosen_.rows.rounded[at] = rows.rounded[here]; });
    };
    const auto blocks = static_cast<int64_t>(moments_.blocks.size());
    if (blocks > 1)
      parallel_for(blocks, body);
    else
      body(0, 0);
  }

  /// Squared error of an output over the windows that were held out, in real units.
  double error_of(const Way& way, int64_t o) const {
    std::vector<double> errors(static_cast<size_t>(size_));
    double of_mean = 0;
    for (int64_t i = 0; i < size_; ++i) {
      const auto at = static_cast<size_t>(o * size_ + i);
      errors[static_cast<size_t>(i)] = (way.rows.exact[at] - static_cast<double>(way.rows.rounded[at])) *
                                       way.steps[static_cast<size_t>(o)];
      of_mean += errors[static_cast<size_t>(i)] * moments_.mean(group_of(o), i);
    }
    double sum = 0;
    const int64_t all = moments_.windows.groups * size_;
    for (int64_t n = 0; n < moments_.held_count; ++n) {
      const double error =
          dot(errors.data(), moments_.held.data() + n * all + group_of(o) * size_, size_) - of_mean;
      sum += error * error;
    }
    return sum * moments_.unit * moments_.unit;
  }

  RoundedLayer choose() {
    RoundedLayer out;
    out.name = name_;
    std::vector<double> before(static_cast<size_t>(outputs_)), after = before;
    parallel_for(outputs_, [&](int64_t o, int) {
      before[static_cast<size_t>(o)] = error_of(nearest_, o);
      after[static_cast<size_t>(o)] = error_of(chosen_, o);
    });
    for (int64_t o = 0; o < outputs_; ++o) {
      const auto at = static_cast<size_t>(o);
      const bool is_better = after[at] < before[at];
      out.nearest += before[at];
      out.chosen += is_better ? after[at] : before[at];
      out.improved += is_better ? 1 : 0;
      if (is_better) continue;
      chosen_.steps[at] = nearest_.steps[at];
      std::copy_n(nearest_.rows.rounded.begin() + o * size_, size_, chosen_.rows.rounded.begin() + o * size_);
    }
    return out;
  }

  std::string name_;
  const Options& options_;
  const LayerMoments& moments_;
  std::span<const float> weights_;
  std::vector<float> biases_;
  int64_t outputs_, size_;
  int bits_ = 8;
  bool is_of_layer_ = false;
  double most_input_ = 0, limit_ = 0, out_zero_ = 0;
  Way nearest_, chosen_;
};

/// Layers whose weights are floats without a scale.
std::vector<NodeId> layers_to_round(const graph::Graph& graph) {
  std::vector<NodeId> out;
  for (const NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (!graph::integer_form(graph, node).weighted || !windows_of(graph, node)) continue;
    const graph::Value& weights = graph.value(node.inputs.at(1));
    if (weights.is_constant() && !weights.type.quant) out.push_back(id);
  }
  return out;
}

void set_biases(graph::Graph& graph, NodeId id, Tensor biases) {
  std::vector<ValueId> inputs = graph.node(id).inputs;
  if (inputs.size() > 2) {
    graph.set_constant(passes::own_constant(graph, id, 2), std::move(biases));
    return;
  }
  inputs.push_back(graph.add_constant(graph.unique_name(graph.node(id).name + "_biases"), std::move(biases)));
  graph.replace(id, graph.op(id).clone(), inputs);
}

double gain_of(const RoundedLayer& layer) {
  return layer.chosen > 0 ? 10 * std::log10(layer.nearest / layer.chosen) : 0;
}

}  // namespace

double Rounding::gain() const {
  double sum = 0;
  for (const RoundedLayer& layer : layers) sum += gain_of(layer);
  return layers.empty() ? 0 : sum / static_cast<double>(layers.size());
}

std::string to_csv(const Rounding& rounding) {
  std::string out = "layer,outputs,improved,gain_db\n";
  for (const RoundedLayer& layer : rounding.layers)
    out += csv_line({layer.name, std::to_string(layer.biases.size()), std::to_string(layer.improved),
                     fmt::format("{:.2f}", gain_of(layer))});
  return out;
}

Rounding find_rounding(const graph::Graph& graph, const Ranges& ranges, const Options& options,
                       const BatchSource& samples, const compute::ExecutorOptions& executor) {
  const std::vector<NodeId> layers = layers_to_round(graph);
  if (shift_terms(options.rescaling) > 0) return {{}, "shifts choose the scales of weights themselves"};
  if (options.bits > kBitsOfByte) return {{}, "weights of more than 8 bits lose nothing to speak of"};
  if (layers.empty()) return {{}, "no layer has weights without a scale"};
  if (ranges.samples < SampleChoice::kFewest)
    return {{},
            fmt::format("{} samples show too little, {} are wanted", ranges.samples, SampleChoice::kFewest)};
  graph::Graph integers = graph;
  {
    const log::Capture said_again_when_it_counts;
    quantize_graph(integers, ranges, options);
  }
  std::vector<std::string> names;
  std::vector<float> units;
  for (const NodeId id : layers) {
    names.push_back(graph.node(id).name);
    const graph::Node& made = integers.node(integers.find_node(names.back()).value());
    units.push_back(integers.value(made.inputs.at(0)).type.quant->scale.at(0));
  }
  const graph::Graph simulated = simulated_graph(graph, integers);
  const std::vector<LayerMoments> moments =
      gather_moments(simulated, names, units, ranges.samples, samples, executor);
  Rounding out;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (moments[i].count == 0 || moments[i].held_count == 0) continue;
    const graph::Node& made = integers.node(integers.find_node(names[i]).value());
    if (integers.value(made.inputs.at(1)).type.dtype != DataType::I8) continue;
    Layer layer(graph, integers, graph.node(layers[i]), options, moments[i]);
    RoundedLayer rounded = layer.round();
    if (layer.fill(rounded)) out.layers.push_back(std::move(rounded));
  }
  return out;
}

void apply_rounding(graph::Graph& graph, const Rounding& rounding) {
  for (const RoundedLayer& layer : rounding.layers) {
    const auto id = graph.find_node(layer.name);
    N2D2_CHECK(id.has_value(), "no layer '{}'", layer.name);
    const ValueId own = passes::own_constant(graph, *id, 1);
    Tensor weights(graph.value(own).type.shape);
    const size_t row = layer.integers.size() / layer.biases.size();
    for (size_t i = 0; i < layer.integers.size(); ++i)
      weights.span<float>()[i] =
          static_cast<float>(layer.integers[i]) * layer.scales[layer.scales.size() == 1 ? 0 : i / row];
    graph.set_constant(own, std::move(weights),
                       QuantParams{layer.bits, true, layer.scales.size() == 1 ? -1 : 0, layer.scales});
    Tensor biases(Shape{static_cast<int64_t>(layer.biases.size())});
    std::copy(layer.biases.begin(), layer.biases.end(), biases.span<float>().begin());
    set_biases(graph, *id, std::move(biases));
  }
}

}  // namespace n2d2::quantize
