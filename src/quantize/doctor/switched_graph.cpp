#include "switched_graph.hpp"

#include <algorithm>

#include "n2d2/graph/integer_form.hpp"
#include "n2d2/passes/own_constant.hpp"

#include "integers/on_grid.hpp"
#include "rounding/simulated_graph.hpp"
#include "scales/assign_scales.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

/// Bits that simulated_graph() takes for a value that stays as it is.
constexpr int kUnroundedBits = 32;
constexpr size_t kFirstParameter = 1, kPastParameters = 3;

size_t end_of_parameters(const graph::Node& node) {
  return std::min(node.inputs.size(), kPastParameters);
}

SwitchedLayer layer_of(const graph::Graph& floats, const graph::Graph& integers, ValueId id) {
  const graph::Value& value = floats.value(id);
  SwitchedLayer out;
  out.name = value.name, out.value = id, out.node = value.producer;
  const std::optional<ValueId> made = integers.find_value(value.name);
  if (!made || !integers.value(*made).type.quant) return out;
  out.quant = *integers.value(*made).type.quant;
  const graph::IntegerForm form =
      value.producer ? graph::integer_form(floats, floats.node(value.producer)) : graph::IntegerForm{};
  out.has_weights = form.weighted;
  out.has_values = has_own_threshold(floats, id) && out.quant.bits <= kMostGridBits &&
                   out.quant.zero_point == std::floor(out.quant.zero_point);
  out.may_widen = out.has_values && out.quant.bits <= kBitsOfByte &&
                  (form.weighted || form.adds == graph::Addends::Inputs);
  return out;
}

}  // namespace

std::vector<SwitchedLayer> switched_layers(const graph::Graph& floats, const graph::Graph& integers) {
  std::vector<ValueId> values = floats.inputs();
  for (const NodeId id : floats.schedule()) values.push_back(floats.node(id).outputs.at(0));
  std::vector<SwitchedLayer> out;
  for (const ValueId id : values)
    if (const SwitchedLayer layer = layer_of(floats, integers, id); layer.has_weights || layer.has_values)
      out.push_back(layer);
  return out;
}

graph::Graph switched_graph(const graph::Graph& floats, const graph::Graph& integers,
                            const std::vector<SwitchedLayer>& layers, const Switches& on) {
  graph::Graph wanted = integers;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (on.values[i] || !layers[i].has_values) continue;
    const graph::Value& value = wanted.value(wanted.find_value(layers[i].name).value());
    TensorType type = value.type;
    type.quant->bits = kUnroundedBits;
    if (layers[i].node)
      wanted.set_clamp(wanted.find_node(floats.node(layers[i].node).name).value(),
                       floats.node(layers[i].node).clamp);
    wanted.set_type(value.id, type);
  }
  graph::Graph out = simulated_graph(floats, wanted);
  for (size_t i = 0; i < layers.size(); ++i) {
    if (on.weights[i] || !layers[i].has_weights) continue;
    const graph::Node& node = floats.node(layers[i].node);
    for (size_t slot = kFirstParameter; slot < end_of_parameters(node); ++slot)
      out.set_constant(passes::own_constant(out, node.id, slot), *floats.value(node.inputs[slot]).constant);
  }
  return out;
}

std::vector<ValueId> add_quantized_copies(graph::Graph& floats, const graph::Graph& simulated,
                                          const std::vector<SwitchedLayer>& layers) {
  std::vector<ValueId> out(layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].has_weights) continue;
    const graph::Node& node = floats.node(layers[i].node);
    const graph::Node& rounded = simulated.node(layers[i].node);
    std::vector<ValueId> inputs = node.inputs;
    for (size_t slot = kFirstParameter; slot < end_of_parameters(node); ++slot)
      inputs[slot] = floats.add_constant(floats.unique_name(layers[i].name + "_quantized"),
                                         *simulated.value(rounded.inputs[slot]).constant);
    const NodeId copy =
        floats.add(node.op->clone(), floats.unique_name(layers[i].name + "_copy"), inputs, node.origin);
    floats.set_clamp(copy, rounded.clamp);
    out[i] = floats.node(copy).outputs.at(0);
  }
  std::vector<ValueId> outputs = floats.outputs();
  for (const ValueId id : out)
    if (id) outputs.push_back(id);
  floats.set_outputs(outputs);
  return out;
}

}  // namespace n2d2::quantize
