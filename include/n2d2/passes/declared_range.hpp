// Which interval can a value not leave, whatever the data? Known from clamps, not from measurements.
#pragma once

#include <map>

#include "n2d2/graph/graph.hpp"

namespace n2d2::passes {

using DeclaredRanges = std::map<graph::ValueId, Clamp>;

/// Interval of every value that is not a constant; infinite where nothing is known (spec quantization 4):
/// clamps and Rectifier/Saturation bound, Padding adds zero, pools and concatenations unite, scalings and
/// sums follow by interval arithmetic, Softmax is [0, 1], layers with weights are unbounded. `input` is what
/// the caller knows of the graph inputs.
DeclaredRanges declared_ranges(const graph::Graph& graph, const Clamp& input = {});

/// clamp(x, inner) followed by clamp(., outer), as one clamp.
Clamp compose(const Clamp& inner, const Clamp& outer);

}  // namespace n2d2::passes
