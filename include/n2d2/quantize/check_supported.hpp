// Which nodes have no integer form?
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// Adds why this node has no integer form, with place and hint; false when it has one. Spec quantization 7.5, 9.
bool find_unsupported(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings);

/// Throws one ExportError with the findings of every node; ModelError for weights that are not finite.
void check_supported(const graph::Graph& graph);

}  // namespace n2d2::quantize
