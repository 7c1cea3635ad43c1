// Which integers has a constant that stands beside data, element by element?
#pragma once

#include <utility>

#include "n2d2/graph/graph.hpp"

#include "assign_scales.hpp"

namespace n2d2::quantize {

/// Whether the node adds a constant to one input, and nothing else.
bool is_sum_with_constant(const graph::Node& node);

/// Bounds of constants beside data of the scale `data` in a sum of the scale `sum`: beyond them, the sum is
/// its least or largest integer whatever the data are.
Clamp reach_of_operand(const Scale& data, const Scale& sum);

/// The scale of a constant operand: its largest magnitude is the largest integer of as many bits as those of
/// `data`. A scale that came with the model stays where its integers have these bits.
Scale scale_of_operand(const graph::Value& operand, const Scale& data, const Options& options);

/// Puts the nearest integers of that scale, ties to even, in the place of a constant of a node; returns the
/// constant that the node reads then. Where the node is_sum_with_constant(), elements are bounded by
/// reach_of_operand() first. `out`: the scale of its output.
std::pair<graph::ValueId, Scale> quantize_operand(graph::Graph& graph, graph::NodeId node, size_t slot,
                                                  const Scale& data, const Scale& out,
                                                  const Options& options);

}  // namespace n2d2::quantize
