#include "n2d2/quantize/quantize_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/passes/own_constant.hpp"
#include "n2d2/quantize/value_widths.hpp"
#include "n2d2/quantize/wide_outputs.hpp"
#include "n2d2/tensor/integer_types.hpp"
#include "n2d2/tensor/interval.hpp"

#include "integers/channel_reach.hpp"
#include "integers/integer_parameters.hpp"
#include "integers/integer_table.hpp"
#include "integers/rescale_factors.hpp"
#include "measure/plain_math.hpp"
#include "scales/assign_scales.hpp"
#include "scales/constant_operands.hpp"

namespace n2d2::quantize {

namespace {

using graph::IntegerForm;
using graph::NodeId;
using graph::ScaleOf;
using graph::ValueId;

constexpr int kBitsOfI64 = 63;
/// Number of bits of an output that is as wide as the sums of an 8-bit network.
constexpr int kBitsOfSums = 32;
/// The threshold of a wide output is at least the largest magnitude of its sums divided by this. A smaller
/// threshold would need multipliers that do not fit.
constexpr double kSmallestShare = 32768;
/// Where the threshold of a wide output comes from, for the report.
constexpr const char* kReach = "sums";

class Quantizer {
 public:
  Quantizer(graph::Graph& graph, const Ranges& ranges, const Options& options)
      : graph_(graph),
        ranges_(ranges),
        options_(options),
        scales_(assign_scales(graph, ranges, options)),
        reach_(graph, scales_) {
    for (size_t i = 0; i < options.output_bits.size(); ++i)
      widen_output(graph.outputs().at(i), options.output_bits[i]);
  }

  QuantReport run() {
    QuantReport report{options_, ranges_.samples, {}};
    for (const ValueId id : graph_.inputs())
      report.layers.push_back(describe(id, graph_.value(id).name, "input"));
    for (const NodeId id : graph_.schedule()) {
      const graph::Node& node = graph_.node(id);
      if (graph::integer_form(graph_, node).scale == ScaleOf::OfInput && is_wide(node.outputs.at(0)))
        hand_on(scales_.at(node.inputs.at(0)), scales_.at(node.outputs.at(0)));
      LayerReport layer = describe(node.outputs.at(0), node.name, std::string(node.op->type()));
      quantize_node(id, layer);
      report.layers.push_back(std::move(layer));
    }
    warn_of_other_modes();
    tell_of_limited_factors();
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
    describe_scale(scale, layer);
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

  static void describe_scale(const Scale& scale, LayerReport& layer) {
    layer.bits = scale.told_bits();
    layer.is_signed = scale.is_signed;
    layer.threshold = scale.threshold;
    layer.scale = scale.scale();
    layer.zero_point = scale.zero_point;
    layer.clipping = scale.source;
  }

  /// The values of its chain get the bits; their scale comes with the layer that rescales.
  void widen_output(ValueId output, int bits) {
    if (bits <= options_.bits) return;
    const WideChain chain = wide_chain(graph_, output);
    N2D2_CHECK(!chain.nodes.empty(), "an output of {} bits: {}", bits, chain.why_not);
    for (const NodeId id : chain.nodes) {
      const ValueId value = graph_.node(id).outputs.at(0);
      Scale& scale = scales_.at(value);
      scale.bits = bits;
      scale.reached_bits = 0;
      scale.is_signed = true;
      wide_.insert(value);
    }
  }
  bool is_wide(ValueId id) const { return wide_.contains(id); }

  static void hand_on(const Scale& from, Scale& to) {
    to = from;
    to.source = "input";
  }

  /// Sets the threshold of a wide output. `reach` is the largest magnitude that the sums of the node can
  /// have, in real units. An output of 32 bits has the threshold `reach`, so that nothing is clipped. In
  /// 16 bits that may leave few steps for the values that samples reach: where samples were measured, the
  /// threshold is twice their largest magnitude, but in [reach / kSmallestShare, reach].
  void settle_wide(const graph::Node& node, double reach, LayerReport& layer) {
    const ValueId id = node.outputs.at(0);
    Scale& scale = scales_.at(id);
    scale.threshold = reach;
    scale.source = kReach;
    const auto measured = ranges_.values.find(id);
    if (scale.bits < kBitsOfSums && measured != ranges_.values.end() && measured->second.maxabs() > 0)
      scale.threshold = std::clamp(2 * measured->second.maxabs(), reach / kSmallestShare, reach);
    describe_scale(scale, layer);
  }

  RescaleMode mode_of(const graph::Node& node) const {
    return is_wide(node.outputs.at(0)) ? RescaleMode::FixedPoint32 : options_.rescaling;
  }

  /// Returns the rescaling mode of a layer whose weights cannot make up for shifts: Fixed-point16 in place of
  /// shifts.
  RescaleMode mode_without_weights(const graph::Node& node) const {
    const RescaleMode mode = mode_of(node);
    return shift_terms(mode) > 0 ? RescaleMode::FixedPoint16 : mode;
  }
  /// Returns the rescaling mode of a sum of branches, which share no factor: as without weights, and
  /// Fixed-point32 in place of floating point.
  RescaleMode mode_of_sum(const graph::Node& node) const {
    const RescaleMode mode = mode_without_weights(node);
    return mode == RescaleMode::FloatingPoint ? RescaleMode::FixedPoint32 : mode;
  }

  const Scale& in(const graph::Node& node, size_t slot = 0) const {
    const auto operand = operands_.find(node.inputs.at(slot));
    return operand != operands_.end() ? operand->second : scales_.at(node.inputs[slot]);
  }
  const Scale& out(const graph::Node& node) const { return scales_.at(node.outputs.at(0)); }

  void quantize_node(NodeId id, LayerReport& layer) {
    const IntegerForm form = graph::integer_form(graph_, graph_.node(id));
    if (form.scale == ScaleOf::OfInput && form.table) set_table(id, form, std::nullopt);
    const std::vector<Interval> sums =
        form.scale == ScaleOf::Own ? computed(id, form, layer) : std::vector<Interval>{};
    reach_.note(graph_.node(id), form, sums);
  }

  /// What the sums of the node can be, as far as they are known.
  std::vector<Interval> computed(NodeId id, const IntegerForm& form, LayerReport& layer) {
    if (form.table) {
      set_table(id, form, graph_.node(id).clamp);
      if (form.factors.empty()) return {};
      if (form.of_table) return taps(graph_.node(id), graph::integer_form(graph_, graph_.node(id)), layer);
    }
    if (form.parameters) set_parameters(id, form);
    if (form.weighted) return weighted(id, form, layer);
    for (size_t slot = 1; slot < graph_.node(id).inputs.size(); ++slot)
      if (graph_.node(id).op->input_role(slot) == "operands")
        operands_.insert(
            quantize_operand(graph_, id, slot, in(graph_.node(id)), out(graph_.node(id)), options_));
    if (form.adds == graph::Addends::Product) return product(graph_.node(id), form, layer);
    if (form.adds == graph::Addends::Taps) return taps(graph_.node(id), form, layer);
    inputs(graph_.node(id), form, layer);
    return {};
  }

  /// E[x] of each channel of input 0; empty when it was not measured. Padding counts as if it were like the
  /// rest.
  std::vector<double> means_of(const graph::Node& node) const {
    const auto found = ranges_.values.find(node.inputs.at(0));
    return found == ranges_.values.end() ? std::vector<double>{} : found->second.channel_means();
  }
  void set_parameters(NodeId id, const IntegerForm& form) {
    const Scale &from = in(graph_.node(id)), &to = out(graph_.node(id));
    quantize::set_parameters(graph_, id, form, from.quant_params(), to.quant_params(),
                             means_of(graph_.node(id)));
  }
  void set_table(NodeId id, const IntegerForm& form, const std::optional<Clamp>& clamp) {
    const Scale &from = in(graph_.node(id)), &to = out(graph_.node(id));
    quantize::set_table(graph_, id, form, from.quant_params(), to.quant_params(),
                        quantize::bounds(to, clamp));
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

  /// Integers of a Conv or Fc. In the shift modes w_o is what makes the factor one: the weights are scaled by
  /// what the shifts are more than the factor was. Where a factor is above 1 it has no shifts; they all stay
  /// as they were, unless it multiplies sums that become one integer whatever it is.
  IntegerParameters parameters(const graph::Node& node, const IntegerForm& form, LayerContext& context,
                               ValueId weights, ValueId biases) const {
    const int64_t outputs = graph_.value(node.outputs.at(0)).type.shape.c();
    const auto made = [&] {
      return integer_parameters(*graph_.value(weights).constant,
                                biases ? *graph_.value(biases).constant : Tensor(), outputs, context,
                                options_);
    };
    const int terms = shift_terms(mode_of(node));
    if (terms == 0 || context.given != nullptr) return made();
    const double qw = weight_full_scale(context.weight_bits, context.held_bits);
    const auto factor_of = [&](double w) { return factor(in(node), 0, w / qw, out(node)).precise; };
    IntegerParameters without = made();
    const std::vector<Interval> sums = reach_.sums(node, form, without);
    std::vector<bool> is_free;
    for (size_t o = 0; o < without.ranges.size(); ++o) {
      const double f = factor_of(without.ranges[o]);
      is_free.push_back(f > 1 && constant_output(f, sums[o], bounds(out(node), node.clamp)));
      if (f > 1 && !is_free.back()) return without;
    }
    context.settle = [&](size_t o, double w) {
      const double f = factor_of(w);
      return is_free[o] ? w : w * (shifted_factor(f, terms) / f);
    };
    return made();
  }

  /// Weights of fewer bits than a byte stand in its upper bits: biases get as much finer units, and kernels
  /// are those of bytes.
  static std::optional<QuantParams> aligned(std::optional<QuantParams> given) {
    if (!given || given->bits >= kBitsOfByte) return given;
    for (float& scale : given->scale) scale = std::ldexp(scale, given->bits - kBitsOfByte);
    given->bits = kBitsOfByte;
    return given;
  }

  std::vector<Interval> weighted(NodeId id, const IntegerForm& form, LayerReport& layer) {
    const ValueId weights = passes::own_constant(graph_, id, 1);
    const std::optional<QuantParams> own = graph_.value(weights).type.quant;
    const std::optional<QuantParams> given = options_.bits < kBitsOfByte ? own : aligned(own);
    const Scale& from = in(graph_.node(id));
    const int bits =
        weight_bits(graph_, graph_.node(id), options_.widths, options_.bits, {from.told_bits(), from.bits});
    const int least = given ? std::max(given->bits, std::min(options_.bits, kBitsOfByte)) : bits;
    const int held = held_bits(least, options_.bits);
    LayerContext context{from, given ? held : bits, held, given ? &*given : nullptr};
    context.taps = form.taps;
    context.inside_sums = form.inside_sums;
    context.out_zero = out(graph_.node(id)).zero_point * out(graph_.node(id)).step();
    if (!given) context.expected = means_of(graph_.node(id));
    const bool is_summed_wide = from.bits > kBitsOfByte;  // the type of biases is that of the sums
    const bool is_shifted = context.in.zero_point != 0 || context.out_zero != 0;
    const ValueId biases = biases_of(id, !context.expected.empty() || is_shifted || is_summed_wide);
    const graph::Node& node = graph_.node(id);
    IntegerParameters p = parameters(node, form, context, weights, biases);
    if (given) check_given(node, own->bits, bits, in(node).bits, p);
    const double qw = weight_full_scale(context.weight_bits, held);
    layer.weight_bits = own ? own->bits : bits;
    if (is_wide(node.outputs.at(0))) {
      double reach = 0;
      for (size_t o = 0; o < p.ranges.size(); ++o)
        reach = std::max(reach, in(node).step() * std::abs(p.ranges[o] / qw) * std::max(p.bounds[o], 1.0));
      settle_wide(node, reach, layer);
    }
    QuantParams weight_quant{held, true, 0, {}};
    QuantParams bias_quant{std::min(sum_bits(p.biases.dtype()), kBitsOfI64),
                           true,
                           static_cast<int>(p.biases.shape().rank()) - 1,
                           {}};
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
    const Sums sums{p.accumulator_bound, reach_.sums(node, form, p)};
    rescale(node, mode_of(node), factors, sums, node.clamp, p.biases.dtype(), layer);
    graph_.set_constant(weights, std::move(p.weights), std::move(weight_quant));
    if (biases) graph_.set_constant(biases, std::move(p.biases), std::move(bias_quant));
    return sums.reach;
  }

  static void expect_room(const graph::Node& node, const std::string& what, double bound, DataType sum,
                          const char* hint) {
    if (bound <= sum_limit(sum)) return;
    throw ExportError(
        fmt::format("{}: a {} can reach {:.6g}, more than the accumulator holds", subject(node), what, bound),
        node.origin, hint);
  }

  /// Values of input 0, added up and multiplied by one factor, or one a channel.
  std::vector<Interval> taps(const graph::Node& node, const IntegerForm& form, LayerReport& layer) {
    const int64_t start = start_of_taps(node, form);
    const double bound =
        (form.unit ? form.unit->largest : static_cast<double>(form.taps) * in(node).largest_magnitude()) +
        std::abs(static_cast<double>(start));
    const DataType sum = sum_type(in(node).bits);
    expect_room(node, fmt::format("sum of {} values", form.taps), bound, sum, "sum in two steps");
    if (is_wide(node.outputs.at(0))) {
      double largest = 0;
      for (const double f : form.factors.at(0)) largest = std::max(largest, std::abs(f));
      settle_wide(node, largest > 0 ? in(node).step() * largest * bound : 1, layer);
    }
    std::vector<Factor> factors;
    for (const double f : form.factors.at(0))
      factors.push_back(form.unit ? factor(f * form.unit->one, out(node))
                                  : factor(in(node), static_cast<float>(f), f, out(node)));
    std::optional<Clamp> clamp = form.clamp;
    if (node.clamp) clamp = clamp ? compose(*clamp, *node.clamp) : node.clamp;
    std::vector<Interval> sums = reach_.sums(node, form);
    for (Interval& x : sums) x = {x.lo + static_cast<double>(start), x.hi + static_cast<double>(start)};
    rescale(node, mode_without_weights(node), factors, {bound, {hull(sums)}}, clamp, sum, layer);
    set_start(node, start);
    return sums;
  }

  /// What makes up for zero points in sums of taps: that of the output is rounded to the unit of the sums.
  int64_t start_of_taps(const graph::Node& node, const IntegerForm& form) const {
    if (!form.starts) return 0;
    const double f = form.factors.at(0).at(0), own = out(node).zero_point;
    double start = -static_cast<double>(form.taps) * in(node).zero_point;
    const Factor of_sums = form.unit ? factor(f * form.unit->one, out(node))
                                     : factor(in(node), static_cast<float>(f), f, out(node));
    if (own != 0) start += own / of_sums.precise;
    return std::llround(start);
  }

  void set_start(const graph::Node& node, int64_t start) {
    Rescale made = *node.rescale;
    made.start = start;
    graph_.set_rescale(node.id, std::move(made));
  }

  /// One value of each input, each multiplied by a factor of its own: products are added, then rounded once.
  void inputs(const graph::Node& node, const IntegerForm& form, LayerReport& layer) {
    std::vector<Factor> factors;
    double bound = 0;
    if (is_wide(node.outputs.at(0))) {
      double reach = 0;
      for (size_t i = 0; i < node.inputs.size(); ++i)
        reach += std::abs(form.factors.at(i).at(0)) * in(node, i).step() * in(node, i).largest_distance();
      settle_wide(node, reach > 0 ? reach : 1, layer);
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const double weight = form.factors.at(i).at(0);
      factors.push_back(factor(in(node, i), static_cast<float>(weight), weight, out(node)));
      bound += in(node, i).largest_distance();
    }
    rescale(node, mode_of_sum(node), factors, {bound}, node.clamp, DataType::I64, layer);
    set_start(node, start_of_branches(node));
    double products = 1 + std::abs(static_cast<double>(node.rescale->start));
    for (size_t i = 0; i < node.inputs.size(); ++i)
      products += in(node, i).largest_distance() * std::abs(static_cast<double>(node.rescale->multiplier[i]));
    layer.accumulator_bound = products;
    layer.accumulator_headroom_bits = 63 - plain_log2(products);
  }

  /// From its own zero point less the products of those of its inputs, if the layer does not take them off.
  int64_t start_of_branches(const graph::Node& node) const {
    double of_inputs = 0;
    const bool reads_zeros = graph::integer_form(graph_, node).reads_zeros;
    for (size_t i = 0; !reads_zeros && i < node.inputs.size(); ++i)
      of_inputs += in(node, i).zero_point * static_cast<double>(node.rescale->multiplier.at(i));
    const auto own = static_cast<int64_t>(out(node).zero_point);
    return own * (int64_t{1} << node.rescale->shift) - std::llround(of_inputs);
  }

  /// One value of each input, or `taps` of them, multiplied with each other and by one factor.
  std::vector<Interval> product(const graph::Node& node, const IntegerForm& form, LayerReport& layer) {
    auto bound = static_cast<double>(form.taps);
    double unit = form.factors.at(0).at(0);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      bound *= in(node, i).largest_distance();
      unit *= in(node, i).threshold / in(node, i).full_scale();
    }
    const Factor of_product = factor(unit, out(node));
    const auto start = std::llround(out(node).zero_point / of_product.precise);
    bound += std::abs(static_cast<double>(start));
    const DataType type = sum_type(in(node).bits);
    if (form.taps > 1)
      expect_room(node, fmt::format("sum of {} products", form.taps), bound, type, "sum in two steps");
    else
      expect_room(node, fmt::format("product of {} values", node.inputs.size()), bound, type,
                  "multiply in two steps");
    const Sums sums{bound, {{-bound, bound}}};
    rescale(node, mode_without_weights(node), {of_product}, sums, node.clamp, type, layer);
    set_start(node, start);
    return sums.reach;
  }

  void rescale(const graph::Node& node, RescaleMode mode, const std::vector<Factor>& factors,
               const Sums& sums, const std::optional<Clamp>& clamp, DataType sum, LayerReport& layer) {
    layer.accumulator_bound = sums.bound;
    layer.accumulator_bits = sum_bits(sum);
    layer.accumulator_headroom_bits = sums.bound > 0 ? plain_log2(sum_limit(sum) / sums.bound) : 0;
    auto [made, limited] =
        make_rescale(node, mode, factors, sums, bounds(out(node), clamp), options_.most_shift);
    if (limited > 0) limited_.push_back(fmt::format("{} of {} in '{}'", limited, factors.size(), node.name));
    if (made.mode != mode) {
      layer.notes.push_back(fmt::format("rescaled in {}, for {} has no such factors",
                                        ValueText<RescaleMode>::print(made.mode),
                                        ValueText<RescaleMode>::print(mode)));
      otherwise_[{mode, made.mode}].push_back(node.name);
    }
    graph_.set_rescale(node.id, std::move(made));
  }

  void warn_of_other_modes() const {
    for (const auto& [modes, names] : otherwise_)
      log::warn("-act-rescaling-mode: {} instead of {}, which has no such factors, for '{}'",
                ValueText<RescaleMode>::print(modes.second), ValueText<RescaleMode>::print(modes.first),
                join(names, "', '"));
  }

  void tell_of_limited_factors() const {
    if (!limited_.empty())
      log::notice(
          "-act-rescaling-mode: factors beyond the multipliers are limited where that changes no integer: {}",
          join(limited_, ", "));
  }

  graph::Graph& graph_;
  const Ranges& ranges_;
  const Options& options_;
  Scales scales_;
  ChannelReach reach_;
  /// What leaves the network in more bits than its layers have.
  std::set<ValueId> wide_;
  /// Scales of constants that stand beside data.
  Scales operands_;
  /// Layers that are rescaled in another mode than the one that was wanted.
  std::map<std::pair<RescaleMode, RescaleMode>, std::vector<std::string>> otherwise_;
  /// Layers with factors that are not met, how many.
  std::vector<std::string> limited_;
};

}  // namespace

bool find_without_integers(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) {
  const IntegerForm form = graph::integer_form(graph, node);
  for (const graph::Reason& reason : form.why_not)
    findings.error(node.origin, fmt::format("{}: {}", subject(node), reason.text), reason.hint);
  const bool has_several = form.why_not.empty() && node.outputs.size() > 1;
  if (has_several)
    findings.error(node.origin,
                   fmt::format("{}: a layer with several outputs has no integer form", subject(node)),
                   "make a layer of each output");
  const bool moves = form.scale == ScaleOf::OfInput || form.scale == ScaleOf::Shared;
  if (moves && node.clamp)
    findings.error(node.origin,
                   fmt::format("{}: a layer that only moves integers cannot clamp them", subject(node)),
                   "put the activation on the layer before");
  return form.scale == ScaleOf::None || has_several || (moves && node.clamp);
}

QuantReport quantize_graph(graph::Graph& graph, const Ranges& ranges, const Options& options) {
  check(options);
  Diagnostics findings;
  for (const NodeId id : graph.schedule()) find_without_integers(graph, graph.node(id), findings);
  findings.finish<ExportError>();
  check_constants(graph);
  return Quantizer(graph, ranges, options).run();
}

}  // namespace n2d2::quantize
