// Which interval can a value not leave, whatever the data? Known from clamps, not from measurements.
#pragma once

#include <map>

#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/interval.hpp"

namespace n2d2::passes {

using DeclaredRanges = std::map<graph::ValueId, Clamp>;

/// Interval of every value that is not a constant; infinite where nothing is known:
/// what operators say of their outputs (Operator::range), within Node::clamp, and on the grid of a value that
/// has a scale. `input` is what the caller knows of the graph inputs.
DeclaredRanges declared_ranges(const graph::Graph& graph, const Clamp& input = {});

}  // namespace n2d2::passes
