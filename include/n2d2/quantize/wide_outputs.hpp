// Which value can leave an integer network with more bits than the values inside it have?
#pragma once

#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// The layers that such a value takes: the one that rescales its sums, then those that only move what it makes.
struct WideChain {
  std::vector<graph::NodeId> nodes;
  std::string why_not;  ///< where there are none: what stands in the way, as it follows "stays at 8 bits: "
};

/// `output` leaves the graph. Nothing else may read it, nor anything else what the layers of the chain hand on, and no
/// scale of it came with the model.
WideChain wide_chain(const graph::Graph& graph, graph::ValueId output);

/// Options::output_bits of an output that is not wider than the others.
inline constexpr int kAsAllOthers = 0;

}  // namespace n2d2::quantize
