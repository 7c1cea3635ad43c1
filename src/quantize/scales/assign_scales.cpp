#include "assign_scales.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/quantize/clipping.hpp"
#include "n2d2/quantize/value_widths.hpp"
#include "n2d2/quantize/wide_outputs.hpp"
#include "n2d2/quantize/zero_points.hpp"
#include "n2d2/tensor/integer_types.hpp"
#include "n2d2/tensor/interval.hpp"

#include "inner_zero_points.hpp"
#include "join_scales.hpp"

namespace n2d2::quantize {

namespace {

const Statistics& statistics_of(const graph::Graph& graph, const Ranges& ranges, graph::ValueId id) {
  const auto found = ranges.values.find(id);
  N2D2_CHECK(found != ranges.values.end(), "value '{}' was not calibrated", graph.value(id).name);
  return found->second;
}

/// Whether the threshold comes from the clipping mode: more than 2 outputs, and neither input nor sum.
bool is_clipped(const graph::Graph& graph, graph::ValueId id) {
  const graph::Value& value = graph.value(id);
  return value.producer && value.type.shape.c() > 2 &&
         graph::integer_form(graph, graph.node(value.producer)).adds != graph::Addends::Inputs;
}

/// T of values that have their own; 0 when every sample was 0.
void measure_thresholds(const graph::Graph& graph, const Ranges& ranges, const Options& options,
                        Scales& scales) {
  const std::set<graph::ValueId> settled = values_of_sums(graph, options.output_bits);
  const auto is_measured = [&](graph::ValueId id) {
    return !settled.contains(id) || ranges.values.contains(id);
  };
  std::vector<graph::ValueId> own;
  for (const auto& [id, scale] : scales)
    if (!scale.is_given && has_own_threshold(graph, id) && is_measured(id)) own.push_back(id);
  const Clipping& mode = clipping(options.activation_clipping, "-act-clipping-mode");
  parallel_for(static_cast<int64_t>(own.size()), [&](int64_t i, int) {
    const graph::ValueId id = own[static_cast<size_t>(i)];
    Scale& scale = scales.at(id);
    const Statistics& statistics = statistics_of(graph, ranges, judged_value(graph, id));
    scale.source = is_clipped(graph, id) ? options.activation_clipping : "None";
    if (!mode.needs_histogram || !is_clipped(graph, id)) {
      scale.threshold = statistics.maxabs();
      return;
    }
    N2D2_CHECK(statistics.histogram, "value '{}' has no histogram", graph.value(id).name);
    const bool silent = statistics.maxabs() == 0;
    scale.threshold = silent ? 0
                             : mode.threshold(*statistics.histogram,
                                              {scale.told_bits(), scale.is_signed, options.quantile});
  });
}

/// Values may be held by other integers than those of the export, and reach fewer steps than these have.
void choose_widths(const graph::Graph& graph, const Options& options, Scales& scales) {
  for (const auto& [id, width] : value_widths(graph, options.widths, options.bits)) {
    const auto found = scales.find(id);
    if (found == scales.end() || found->second.is_given) continue;
    found->second.bits = width.held;
    const bool is_narrow = width.reached < width.held && has_own_threshold(graph, id);
    if (is_narrow) found->second.reached_bits = width.reached;
  }
}

/// Thresholds of fewer bits become those of the same steps, which the layer's clamp ends.
void narrow_values(graph::Graph& graph, Scales& scales) {
  for (auto& [id, scale] : scales) {
    if (scale.reached_bits == 0 || scale.threshold == 0) continue;
    const QuantParams reached{scale.reached_bits, scale.is_signed, -1, {}};
    const double step = scale.threshold / static_cast<double>(reached.full_scale());
    const auto end = [&](int64_t q) { return static_cast<float>(static_cast<double>(q) * step); };
    const Clamp ends{end(reached.lowest()), end(reached.highest())};
    const graph::Node& node = graph.node(graph.value(id).producer);
    graph.set_clamp(node.id, node.clamp ? compose(*node.clamp, ends) : ends);
    scale.threshold = step * scale.full_scale();
  }
}

/// An input whose reals bytes stand for exactly gets these bytes as integers, less 128 where none may be
/// unsigned, if what reads it can take a zero point; else it says what cannot.
void place_bytes(const graph::Graph& graph, const Options& options, Scales& scales) {
  const graph::ValueId input = graph.inputs().at(0);
  Scale& scale = scales.at(input);
  const bool is_wanted = options.zero_points && options.bits == kBitsOfByte && options.bytes;
  if (!is_wanted || options.bytes->zero_point == 0 || scale.is_given) return;
  if (options.plain_zero_points && options.bytes->zero_point != std::floor(options.bytes->zero_point)) return;
  if (const std::string reason = refuses_zero_point(graph, input, options.bytes->zero_point);
      !reason.empty()) {
    log::notice("input '{}' has no zero point, which would make its integers exact: {}",
                graph.value(input).name, reason);
    return;
  }
  scale.is_signed = !options.allow_unsigned;
  scale.threshold = options.bytes->step * scale.full_scale();
  scale.zero_point = options.bytes->zero_point + static_cast<double>(scale.quant_params().lowest());
  scale.source = "pixels";
}

/// The scales that came with the model, and signs for all others.
Scales given_scales(const graph::Graph& graph, const Ranges& ranges, const Options& options) {
  const graph::Value& input = graph.value(graph.inputs().at(0));
  const bool input_is_unsigned = input.type.quant
                                     ? !input.type.quant->is_signed && input.type.quant->zero_point == 0
                                     : statistics_of(graph, ranges, input.id).smallest >= 0;
  Scales scales;
  for (const auto& [id, is_unsigned] : unsigned_values(graph, input_is_unsigned, options)) {
    Scale& scale = scales[id];
    scale.is_signed = !is_unsigned;
    scale.bits = options.bits;
    const std::optional<QuantParams>& given = graph.value(id).type.quant;
    if (!given) continue;
    scale.is_signed = given->is_signed;
    scale.threshold = given->threshold_of();
    scale.zero_point = given->zero_point;
    scale.source = "model";
    scale.is_given = true;
  }
  return scales;
}

}  // namespace

graph::ValueId judged_value(const graph::Graph& graph, graph::ValueId id) {
  if (!graph.has_single_use(id)) return id;
  const graph::Node& reader = graph.node(graph.value(id).uses[0].node);
  return graph::integer_form(graph, reader).chooses ? reader.outputs.at(0) : id;
}

bool has_own_threshold(const graph::Graph& graph, graph::ValueId id) {
  const graph::NodeId producer = graph.value(id).producer;
  return !producer || graph::integer_form(graph, graph.node(producer)).scale == graph::ScaleOf::Own;
}

double Scale::largest_magnitude() const {
  const QuantParams q = integers();
  return static_cast<double>(std::max(q.highest(), -q.lowest()));
}

QuantParams Scale::quant_params() const {
  QuantParams q = integers();
  q.scale = {scale()};
  q.threshold = {threshold};
  q.zero_point = zero_point;
  return q;
}

Scales assign_scales(graph::Graph& graph, const Ranges& ranges, const Options& options) {
  Scales scales = given_scales(graph, ranges, options);
  choose_widths(graph, options, scales);
  measure_thresholds(graph, ranges, options, scales);
  narrow_values(graph, scales);
  place_bytes(graph, options, scales);
  place_inner_zero_points(graph, ranges, options, scales);
  settle_joins(graph, scales);
  for (auto& [id, scale] : scales)
    if (scale.threshold == 0) scale.threshold = 1;
  return scales;
}

}  // namespace n2d2::quantize
