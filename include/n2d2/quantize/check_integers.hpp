// Is a graph that came from elsewhere one of floats, or one of integers such as quantize_graph() makes?
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// The bits of a graph of integers; 0: its values are floats.
int quantized_bits(const graph::Graph& graph);

/// How the nodes of a graph of integers rescale; Floating-point where none of them says otherwise. Sums of
/// branches and outputs of more bits, which always are Fixed-point32, say nothing.
RescaleMode rescaling_of(const graph::Graph& graph);

/// Adds everything that keeps the graph, in the layout N,C,H,W, from being one of the two: floats among
/// integers, types that are not those of their scales, weights and biases that no accumulator can add up,
/// rescalings that are missing, of another length or out of bounds. `where` is where the graph came from.
void check_types(const graph::Graph& graph, const SourceLocation& where, Diagnostics& findings);

}  // namespace n2d2::quantize
