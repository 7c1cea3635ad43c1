// Which layers become others because the model gives values beside them a zero point?
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/options.hpp"

namespace n2d2::quantize {

/// Layers that can neither read nor make a zero point become layers that can, where the model rounds a value
/// that they read or make to integers with one (asks_for_zero_point()), also behind layers that only move
/// integers: a Rectifier and a Saturation a PRelu with a clamp, whose integers are a table, a Scaling a
/// depthwise Conv, whose weights are its factors.
void take_zero_points(graph::Graph& graph, const Options& options);

/// Zeros that a Padding or a maximum with CountZeros adds to a value with a zero point become a Border of
/// real 0. A part of the Padding that crops stays.
void border_paddings(graph::Graph& graph);

}  // namespace n2d2::quantize
