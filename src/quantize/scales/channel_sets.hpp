// Which channels of which values must share a factor when one of them is scaled?
#pragma once

#include <map>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// Values that layers other than Conv and Fc tie together, with all that makes and reads them.
struct ChannelSet {
  /// In order of creation. Class of each of their channels, 0 .. classes - 1: channels of a class are one
  /// wire.
  std::map<graph::ValueId, std::vector<size_t>> values;
  size_t classes = 0;
  /// Classes that must keep their scale.
  std::vector<bool> pinned;
  /// Conv and Fc layers whose output 0 is in the set, whose input 0 is in the set; in schedule order.
  std::vector<graph::NodeId> makers, readers;
  /// Makers and layers within the set whose clamp has a finite upper bound.
  std::vector<graph::NodeId> bounded;
};

/// Every value that is no constant belongs to one set.
std::vector<ChannelSet> channel_sets(const graph::Graph& graph);

}  // namespace n2d2::quantize
