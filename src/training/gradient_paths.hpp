// Which constants does the gradient of the losses reach, when some layers let none through?
#pragma once

#include <span>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::training {

/// Constants with a path to one of the seeded values that no layer of `stops` cuts. A stop cuts the way to
/// its data inputs, not to its own parameters. Sorted by id.
/// ModelError when a value with one of the `learnt` constants above it has both open and cut paths: its
/// gradient would be a part of the whole, which the executor does not compute.
std::vector<graph::ValueId> reached_constants(const graph::Graph& graph,
                                              std::span<const graph::ValueId> seeds,
                                              std::span<const graph::NodeId> stops,
                                              std::span<const graph::ValueId> learnt);

}  // namespace n2d2::training
