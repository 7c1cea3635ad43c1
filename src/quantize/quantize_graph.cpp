#include "n2d2/quantize/quantize_graph.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/passes/declared_range.hpp"
#include "n2d2/passes/own_constant.hpp"
#include "n2d2/quantize/check_supported.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "assign_scales.hpp"
#include "integer_parameters.hpp"
#include "rescale_factors.hpp"

namespace n2d2::quantize {

namespace {

using graph::as;
using graph::NodeId;
using graph::QuantRule;
using graph::ValueId;

constexpr int kBitsOfI64 = 63;

std::vector<std::string> notes_of(const IntegerParameters& p) {
  std::vector<std::string> notes;
  const auto list = [](const std::vector<int64_t>& outputs) {
    std::string text;
    for (const int64_t o : outputs) text += (text.empty() ? "" : ", ") + std::to_string(o);
    return text;
  };
  if (!p.dead_outputs.empty()) notes.push_back("all weights are 0 for output " + list(p.dead_outputs));
  if (!p.doubled_outputs.empty())
    notes.push_back("weight scale doubled so that the accumulator fits, output " + list(p.doubled_outputs));
  return notes;
}

class Quantizer {
 public:
  Quantizer(graph::Graph& graph, const Ranges& ranges, const Options& options)
      : graph_(graph), ranges_(ranges), options_(options), scales_(assign_scales(graph, ranges, options)) {}

  QuantReport run() {
    QuantReport report{options_, ranges_.samples, {}};
    for (const ValueId id : graph_.inputs())
      report.layers.push_back(describe(id, graph_.value(id).name, "input"));
    for (const NodeId id : graph_.schedule()) {
      const graph::Node& node = graph_.node(id);
      LayerReport layer = describe(node.outputs.at(0), node.name, std::string(node.op->type()));
      quantize_node(id, layer);
      report.layers.push_back(std::move(layer));
    }
    for (const auto& [id, scale] : scales_) {
      TensorType type = graph_.value(id).type;
      type.dtype = integer_type(scale.bits, scale.is_signed);
      type.quant = scale.quant_params();
      graph_.set_type(id, std::move(type));
    }
    return report;
  }

 private:
  LayerReport describe(ValueId id, std::string name, std::string type) const {
    const Scale& scale = scales_.at(id);
    LayerReport layer;
    layer.name = std::move(name);
    layer.type = std::move(type);
    layer.bits = scale.bits;
    layer.is_signed = scale.is_signed;
    layer.threshold = scale.threshold;
    layer.scale = scale.scale();
    layer.clipping = scale.source;
    if (const auto found = ranges_.values.find(id); found != ranges_.values.end()) {
      layer.min = found->second.min;
      layer.max = found->second.max;
      layer.mean = found->second.mean();
      layer.stddev = found->second.stddev();
    } else if (!scale.is_given) {
      layer.notes.push_back("inserted to bring a branch to the scale of its concatenation");
    }
    return layer;
  }

  const Scale& in(const graph::Node& node, size_t slot = 0) const { return scales_.at(node.inputs.at(slot)); }
  const Scale& out(const graph::Node& node) const { return scales_.at(node.outputs.at(0)); }

  void quantize_node(NodeId id, LayerReport& layer) {
    const graph::Node& node = graph_.node(id);
    switch (node.op->quant_rule()) {
      case QuantRule::Accumulates:
        if (const auto* pool = as<ops::Pool>(node))
          average_pool(node, *pool, layer);
        else
          weighted(id, layer);
        return;
      case QuantRule::AddsScaled:
        return sum(node, layer);
      case QuantRule::Rescales:
        return scaling(node, layer);
      case QuantRule::Narrows:
        return narrow(node, layer);
      case QuantRule::KeepsScale:
      case QuantRule::SharesScale:
      case QuantRule::StaysFloat:
      case QuantRule::Disappears:
        return;
    }
  }

  /// E[x] of what each weight of a Conv or Fc is multiplied with; empty when its input was not measured. Padding counts
  /// as if it were like the rest.
  std::vector<double> expected_inputs(const graph::Node& node) const {
    const auto found = ranges_.values.find(node.inputs.at(0));
    if (found == ranges_.values.end() || found->second.channel_sums.empty()) return {};
    const Shape& map = graph_.value(node.inputs[0]).type.shape;
    const Shape& weights = graph_.value(node.inputs.at(1)).type.shape;
    const auto* conv = as<ops::Conv>(node);
    const int64_t taps = conv != nullptr ? weights.h() * weights.w() : map.h() * map.w();
    const int64_t inputs = weights.elements() / weights[0] / taps;
    const int64_t outputs_of_group = weights[0] / (conv != nullptr ? conv->groups : 1);
    std::vector<double> expected;
    for (int64_t o = 0; o < weights[0]; ++o)
      for (int64_t i = 0; i < inputs; ++i)
        expected.insert(expected.end(), static_cast<size_t>(taps),
                        found->second.channel_mean(static_cast<size_t>(o / outputs_of_group * inputs + i)));
    return expected;
  }

  /// Biases of a Conv or Fc; zeros where it has none but `wanted`, else an invalid id.
  ValueId biases_of(NodeId id, bool wanted) {
    std::vector<ValueId> inputs = graph_.node(id).inputs;
    if (inputs.size() > 2) return passes::own_constant(graph_, id, 2);
    if (!wanted) return {};
    const Shape shape{graph_.value(inputs[1]).type.shape[0]};
    inputs.push_back(
        graph_.add_constant(graph_.unique_name(graph_.node(id).name + "_biases"), Tensor(shape)));
    graph_.replace(id, graph_.op(id).clone(), inputs);
    return inputs[2];
  }

  /// ExportError where the scales of the model make other integers than those of this export.
  void check_given(const graph::Node& node, const QuantParams& given, const IntegerParameters& p) const {
    if (given.bits > options_.bits)
      throw ExportError(fmt::format("{}: the model's weights are of {} bits, the export is of {}",
                                    subject(node), given.bits, options_.bits),
                        node.origin, fmt::format("'-nbbits {}'", given.bits));
    if (p.accumulator_bound > sum_limit(options_.bits))
      throw ExportError(
          fmt::format("{}: with the scales of the model, sums reach {:.6g}, more than the accumulator holds",
                      subject(node), p.accumulator_bound),
          node.origin, "calibrate the float model");
  }

  void weighted(NodeId id, LayerReport& layer) {
    const int64_t outputs = graph_.value(graph_.node(id).outputs.at(0)).type.shape.c();
    const ValueId weights = passes::own_constant(graph_, id, 1);
    const std::optional<QuantParams> given = graph_.value(weights).type.quant;
    LayerContext context{in(graph_.node(id)), given ? &*given : nullptr, {}};
    if (!given) context.expected = expected_inputs(graph_.node(id));
    const ValueId biases = biases_of(id, !context.expected.empty());
    const graph::Node& node = graph_.node(id);
    IntegerParameters p =
        integer_parameters(*graph_.value(weights).constant,
                           biases ? *graph_.value(biases).constant : Tensor(), outputs, context, options_);
    if (given) check_given(node, *given, p);
    const double qw = static_cast<double>(QuantParams{options_.bits, true, -1, {}}.full_scale());
    QuantParams weight_quant{options_.bits, true, 0, {}};
    QuantParams bias_quant{std::min(sum_bits(options_.bits), kBitsOfI64), true, 0, {}};
    std::vector<Factor> factors;
    for (const double w : p.ranges) {
      weight_quant.scale.push_back(static_cast<float>(w / qw));
      weight_quant.threshold.push_back(w);
      bias_quant.scale.push_back(in(node).scale() * weight_quant.scale.back());
      factors.push_back(factor(in(node), weight_quant.scale.back(), w / qw, out(node)));
    }
    if (given ? given->scale.size() == 1 : !options_.per_output)
      for (QuantParams* q : {&weight_quant, &bias_quant}) {
        q->axis = -1;
        q->scale.resize(1);
        q->threshold.resize(std::min<size_t>(1, q->threshold.size()));
      }
    layer.weight_scales = weight_quant.scale;
    layer.clipped_weights = p.clipped_weights;
    layer.bias_correction = p.bias_correction;
    for (std::string& note : notes_of(p)) layer.notes.push_back(std::move(note));
    layer.dead_outputs = std::move(p.dead_outputs);
    layer.doubled_outputs = std::move(p.doubled_outputs);
    rescale(node, options_.rescaling, factors, p.accumulator_bound, node.clamp, layer);
    graph_.set_constant(weights, std::move(p.weights), std::move(weight_quant));
    if (biases) graph_.set_constant(biases, std::move(p.biases), std::move(bias_quant));
  }

  void average_pool(const graph::Node& node, const ops::Pool& pool, LayerReport& layer) {
    const double window = static_cast<double>(pool.kernel.x) * pool.kernel.y;
    const Factor one = factor(in(node), static_cast<float>(1 / window), 1 / window, out(node));
    const double bound = window * in(node).largest_magnitude();
    if (bound > sum_limit(options_.bits))
      throw ExportError(
          fmt::format("{}: a window of {}x{} can sum up to {:.6g}, more than the accumulator holds",
                      subject(node), pool.kernel.x, pool.kernel.y, bound),
          node.origin, "pool in two steps");
    rescale(node, options_.rescaling, {one}, bound, node.clamp, layer);
  }

  void sum(const graph::Node& node, LayerReport& layer) {
    const auto& sum = *as<ops::ElemWise>(node);
    std::vector<Factor> factors;
    double bound = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const double weight = sum.weight(i, 0);
      factors.push_back(factor(in(node, i), static_cast<float>(weight), weight, out(node)));
      bound += in(node, i).largest_magnitude();
    }
    rescale(node, RescaleMode::FixedPoint32, factors, bound, node.clamp, layer);
    layer.accumulator_bits = 64;
    double products = 1;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      products +=
          in(node, i).largest_magnitude() * std::abs(static_cast<double>(node.rescale->multiplier[i]));
    layer.accumulator_bound = products;
    layer.accumulator_headroom_bits = 63 - std::log2(products);
  }

  void scaling(const graph::Node& node, LayerReport& layer) {
    std::vector<Factor> factors;
    for (const double f : as<ops::Scaling>(node)->factor)
      factors.push_back(factor(in(node), static_cast<float>(f), f, out(node)));
    rescale(node, options_.rescaling, factors, in(node).largest_magnitude(), node.clamp, layer);
  }

  void narrow(const graph::Node& node, LayerReport& layer) {
    const auto* relu = as<ops::Relu>(node);
    Clamp clamp = relu ? *relu->clamp() : as<ops::Saturation>(node)->clamp();
    if (node.clamp) clamp = compose(clamp, *node.clamp);
    rescale(node, options_.rescaling, {factor(in(node), 1, 1, out(node))}, in(node).largest_magnitude(),
            clamp, layer);
  }

  void rescale(const graph::Node& node, RescaleMode mode, const std::vector<Factor>& factors, double bound,
               const std::optional<Clamp>& clamp, LayerReport& layer) {
    layer.accumulator_bound = bound;
    layer.accumulator_bits = sum_bits(options_.bits);
    layer.accumulator_headroom_bits = bound > 0 ? std::log2(sum_limit(options_.bits) / bound) : 0;
    graph_.set_rescale(node.id, make_rescale(node, mode, factors, bound, bounds(out(node), clamp)));
  }

  graph::Graph& graph_;
  const Ranges& ranges_;
  const Options& options_;
  Scales scales_;
};

}  // namespace

QuantReport quantize_graph(graph::Graph& graph, const Ranges& ranges, const Options& options) {
  check(options);
  check_supported(graph);
  return Quantizer(graph, ranges, options).run();
}

}  // namespace n2d2::quantize
