#include "n2d2/passes/weight_indices.hpp"

namespace n2d2::passes {

bool has_weights(const graph::Graph& graph, const graph::Node& node) {
  return graph::integer_form(graph, node).weighted;
}

WeightIndices::WeightIndices(const graph::Graph& graph, const graph::Node& node, int64_t channels)
    : conv_(graph::as<ops::Conv>(node)),
      channels_(channels),
      groups_(graph::integer_form(graph, node).groups) {
  N2D2_CHECK(has_weights(graph, node), "'{}' has no weights", node.name);
  const Shape& weights = graph.value(node.inputs.at(1)).type.shape;
  outputs_ = weights[0];
  row_ = weights.elements() / outputs_;
}

}  // namespace n2d2::passes
