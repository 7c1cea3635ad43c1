// Which nodes have no integer form?
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// Throws one ExportError that lists every node without integer form, each with its place; ModelError for
/// weights that are not finite. Spec quantization 7.5, 9.
void check_supported(const graph::Graph& graph);

}  // namespace n2d2::quantize
