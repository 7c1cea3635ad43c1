// May this node's constant be rewritten without another node noticing?
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::passes {

/// Makes the constant at input `slot` belong to this node alone: a shared one is copied under a new name, and
/// the node reads the copy. Returns the constant that the node reads. InternalError if it is not a constant.
graph::ValueId own_constant(graph::Graph& graph, graph::NodeId node, size_t slot);

}  // namespace n2d2::passes
