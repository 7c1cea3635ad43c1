// Does a node get constants and activations where it expects them?
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::compute {

/// ModelError unless its parameters are constants, and its data are not.
void check_inputs(const graph::Graph& graph, const graph::Node& node);

}  // namespace n2d2::compute
