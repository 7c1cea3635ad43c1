#include "n2d2/quantize/value_widths.hpp"

#include <algorithm>

#include "n2d2/graph/integer_form.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

namespace {

using graph::IntegerForm;
using graph::ScaleOf;
using graph::ValueId;
using ValueWidths = std::map<ValueId, ValueWidth>;

/// Returns whether a layer adds branches, each with a factor of its own.
bool is_sum(const IntegerForm& form) {
  return form.scale == ScaleOf::Own && form.adds == graph::Addends::Inputs;
}

int asked_values(const Widths& widths, const graph::Node& node) {
  return widths.activations(node.name, 0);
}

ValueWidth width_of(const graph::Graph& graph, const graph::Node& node, const Widths& widths, int most,
                    const ValueWidth& in) {
  const IntegerForm form = graph::integer_form(graph, node);
  if (form.scale != ScaleOf::Own) return in;
  const int asked = asked_values(widths, node);
  const int reached = asked > 0 ? asked : most, held = held_bits(reached, most);
  if (form.weighted) {
    const int weights = held_bits(weight_bits(graph, node, widths, most, in), most);
    return {reached, held <= kBitsOfByte && weights > kBitsOfByte ? weights : held};
  }
  if (is_sum(form)) return {reached, held};
  return {asked > 0 ? std::min(asked, in.held) : in.held, in.held};
}

class Refusals {
 public:
  Refusals(const graph::Graph& graph, const Widths& widths, int most, const PlaceOfWidths& place,
           Diagnostics& findings)
      : graph_(graph),
        widths_(widths),
        most_(most),
        place_(place),
        findings_(findings),
        of_(value_widths(graph, widths, most)) {}

  void run() {
    for (const graph::NodeId id : graph_.schedule()) {
      const graph::Node& node = graph_.node(id);
      if (node.inputs.empty() || value(node.inputs[0]).is_constant()) continue;
      const IntegerForm form = graph::integer_form(graph_, node);
      if (form.weighted)
        weights(node, form);
      else if (!is_sum(form) && !inputs(node))
        values(node, form);
    }
  }

 private:
  const ValueWidth& in(const graph::Node& node) const { return of_.at(node.inputs.at(0)); }
  SourceLocation where(const graph::Node& node) const { return place_(node).value_or(node.origin); }
  const graph::Value& value(ValueId id) const { return graph_.value(id); }

  void weights(const graph::Node& node, const IntegerForm& form) {
    const int64_t channels = value(node.inputs.at(0)).type.shape.c();
    const int asked = widths_.weights(node.name, form.is_depthwise(channels), 0);
    if (asked <= kBitsOfByte || in(node).held > kBitsOfByte) return;
    findings_.error(
        where(node),
        fmt::format("[{}]: weights of {} bits need inputs of more than 8 bits, '{}' has {}", node.name, asked,
                    value(node.inputs[0]).name, in(node).held),
        fmt::format("'WeightNbBits=8'; 'ActivationNbBits={}' of this layer alone makes wide values", asked));
  }

  /// Whether the inputs of a layer without weights are held by different integers; then that is said.
  bool inputs(const graph::Node& node) {
    for (const ValueId id : node.inputs) {
      if (value(id).is_constant() || of_.at(id).held == in(node).held) continue;
      const bool is_wider = of_.at(id).held > in(node).held;
      const ValueId wide = is_wider ? id : node.inputs[0], narrow = is_wider ? node.inputs[0] : id;
      const graph::NodeId maker = maker_of(wide);
      const graph::Node& asked = maker ? graph_.node(maker) : node;
      findings_.error(
          where(asked),
          fmt::format("{}: joins '{}' of {} bits and '{}' of {} bits", subject(node), value(wide).name,
                      of_.at(wide).held, value(narrow).name, of_.at(narrow).held),
          maker_of(narrow) ? fmt::format("'ActivationNbBits={}' for '{}', too", of_.at(wide).reached,
                                         graph_.node(maker_of(narrow)).name)
                           : "bits are those of the export where the input of the network is read");
      return true;
    }
    return false;
  }

  void values(const graph::Node& node, const IntegerForm& form) {
    const int held = in(node).held, asked = asked_values(widths_, node);
    if (form.scale == ScaleOf::Own && asked > held && place_(node))
      findings_.error(
          where(node),
          fmt::format("[{}]: its values are held by the integers of its input, which have {} bits, got {}",
                      node.name, held, asked),
          "layers with weights and sums make wider values");
    if (!form.table || form.scale != ScaleOf::Own || held <= std::max(kBitsOfByte, most_)) return;
    const graph::NodeId maker = maker_of(node.inputs[0]);
    findings_.error(
        where(maker ? graph_.node(maker) : node),
        fmt::format("{}: has a table of bytes, '{}' has {} bits", subject(node), value(node.inputs[0]).name,
                    held),
        fmt::format("'ActivationNbBits=8' for '{}'", maker ? graph_.node(maker).name : node.name));
  }

  /// The layer that decides about the integers of a value.
  graph::NodeId maker_of(ValueId id) const {
    for (graph::NodeId producer = value(id).producer; producer; producer = value(id).producer) {
      const graph::Node& node = graph_.node(producer);
      const IntegerForm form = graph::integer_form(graph_, node);
      if (form.weighted || is_sum(form)) return producer;
      id = node.inputs.at(0);
    }
    return {};
  }

  const graph::Graph& graph_;
  const Widths& widths_;
  int most_;
  const PlaceOfWidths& place_;
  Diagnostics& findings_;
  ValueWidths of_;
};

}  // namespace

ValueWidths value_widths(const graph::Graph& graph, const Widths& widths, int most) {
  ValueWidths out;
  for (const graph::ValueId id : graph.values())
    if (!graph.value(id).is_constant()) out[id] = {most, most};
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    const auto in = node.inputs.empty() ? out.end() : out.find(node.inputs[0]);
    if (in == out.end()) continue;
    const ValueWidth width = width_of(graph, node, widths, most, in->second);
    for (const ValueId made : node.outputs)
      if (!graph.value(made).type.quant) out.at(made) = width;
  }
  return out;
}

int weight_bits(const graph::Graph& graph, const graph::Node& node, const Widths& widths, int most,
                const ValueWidth& in) {
  const int64_t channels = graph.value(node.inputs.at(0)).type.shape.c();
  const int bits = widths.weights(node.name, graph::integer_form(graph, node).is_depthwise(channels), most);
  return in.held <= kBitsOfByte ? std::min(bits, in.held) : bits;
}

void refuse_widths(const graph::Graph& graph, const Widths& widths, int most, const PlaceOfWidths& place,
                   Diagnostics& findings) {
  Refusals(graph, widths, most, place, findings).run();
}

}  // namespace n2d2::quantize
