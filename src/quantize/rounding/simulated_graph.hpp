// What does a float network compute whose values and weights are those that integers stand for?
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// Returns the float graph with the weights and clamps of `integers`, which quantize_graph() made of it, and
/// with a FakeQuantize in front of every use of a value that it rescales. Values keep their names. Values of
/// more than 16 bits stay as they are, and so does an input whose zero point is no integer.
graph::Graph simulated_graph(const graph::Graph& floats, const graph::Graph& integers);

}  // namespace n2d2::quantize
