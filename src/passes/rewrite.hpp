// Which small edits do several passes share?
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/passes/pass.hpp"

namespace n2d2::passes {

/// Makes the constant at input `slot` belong to this node alone: a shared one is copied under a new name.
graph::ValueId own_constant(graph::Graph& graph, graph::NodeId node, size_t slot);

/// Whether the node is a Conv or an Fc; both have data, weights and perhaps biases as inputs.
bool has_weights(const graph::Node& node);

/// Whether the node is of this type, for operators that have no header.
inline bool is_type(const graph::Node& node, std::string_view type) {
  return node.op->type() == type;
}

/// Registers a pass under its own name.
template <class P>
void register_pass(PassRegistry& registry) {
  auto pass = std::make_shared<const P>();
  registry.add(std::string(pass->name()), pass);
}

}  // namespace n2d2::passes
