// Which value can leave an integer network with more bits than the values inside it have?
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// The layers that such a value takes: the one that rescales its sums, then those that only move what it
/// makes.
struct WideChain {
  std::vector<graph::NodeId> nodes;
  std::string why_not;  ///< where there are none: what stands in the way, as it follows "stays at 8 bits: "
};

/// `output` leaves the graph. Nothing else may read it, nor anything else what the layers of the chain hand
/// on, and no scale of it came with the model.
WideChain wide_chain(const graph::Graph& graph, graph::ValueId output);

/// Values of the chains of outputs of 32 bits, whose scale follows from what sums can reach: no sample is
/// needed.
/// `output_bits`: one for each output of the graph, or none.
std::set<graph::ValueId> values_of_sums(const graph::Graph& graph, std::span<const int> output_bits);

/// Options::output_bits of an output that is not wider than the others.
inline constexpr int kAsAllOthers = 0;

}  // namespace n2d2::quantize
