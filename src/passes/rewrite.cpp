#include "rewrite.hpp"

namespace n2d2::passes {

graph::ValueId own_constant(graph::Graph& graph, graph::NodeId node, size_t slot) {
  const graph::ValueId id = graph.node(node).inputs.at(slot);
  const graph::Value& value = graph.value(id);
  N2D2_CHECK(value.is_constant(), "input {} of '{}' is not a constant", slot, graph.node(node).name);
  if (value.uses.size() == 1) return id;
  const std::string name =
      graph.unique_name(graph.node(node).name + "_" + std::string(graph.op(node).input_role(slot)));
  const graph::ValueId copy = graph.add_constant(name, *value.constant, value.type.quant);
  std::vector<graph::ValueId> inputs = graph.node(node).inputs;
  inputs[slot] = copy;
  graph.replace(node, graph.op(node).clone(), std::move(inputs));
  return copy;
}

}  // namespace n2d2::passes
