// Where do the maps of a part lie while a delegate that has no planner of its own computes it?
#pragma once

#include <map>
#include <span>

#include "n2d2/delegates/delegate.hpp"

namespace n2d2::delegates {

struct ScratchPlan {
  Bytes bytes = 0;
  /// Where each activation begins, packed. Inputs of the part live from its start, outputs to its end; maps
  /// that live at the same time share no byte, what a node reads and what it writes included.
  std::map<graph::ValueId, Bytes> places;
};

/// Places for nodes that run in this order, each map with `spare` bytes of its own behind it: the largest
/// first, each at the lowest free place.
ScratchPlan plan_scratch(const graph::Graph& part, std::span<const graph::NodeId> order, Bytes spare);

}  // namespace n2d2::delegates
