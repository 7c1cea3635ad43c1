// Which layers have no place in the byte order of an export?
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::passes {

/// Adds why this node cannot read and write pixels with their channels side by side (NHWC), with place and
/// hint; false when it can. Only a Reshape that mixes channels and pixels cannot.
bool find_without_layout(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings);

}  // namespace n2d2::passes
