// Does the graph hold together? Asked after every pass, in release builds too.
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::graph {

/// Names unique, wires consistent in both directions, acyclic, shapes equal to what the operators infer,
/// constants of the shape and type their value says. Throws InternalError with the finding: a graph that
/// fails here was broken by our own code.
void verify(const Graph& graph);

}  // namespace n2d2::graph
