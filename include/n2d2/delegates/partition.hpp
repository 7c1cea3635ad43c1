// Which nodes may go to a delegate together? Regions are grown here, and judged by code that did not grow
// them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "n2d2/delegates/delegate.hpp"

namespace n2d2::delegates {

/// Regions of the nodes that are taken, as large as they come in the order of the schedule: a node joins the
/// regions of the nodes it reads as long as no path leaves a region and comes back, not even through other
/// regions, those in `taken` among them. Nodes of those stay where they are.
std::vector<NodeSet> grow_regions(const graph::Graph& graph, std::span<const NodeSet> taken,
                                  const std::function<bool(const graph::Node&)>& takes);

/// What most delegates answer: grown regions of the layers with these names (none: of all) that it does not
/// refuse; "" from `refuses`: taken, else why not. ExportError with every name that no node has; a layer that
/// is named and refused is a notice with the reason, and so is a delegate without any layer.
std::vector<NodeSet> regions_of_layers(const graph::Graph& graph, std::span<const NodeSet> taken,
                                       std::string_view delegate, const std::vector<std::string>& layers,
                                       const std::function<std::string(const graph::Node&)>& refuses);

/// The regions of one delegate.
struct Partition {
  std::string delegate;
  std::vector<NodeSet> regions;
};

/// Every reason why regions cannot become parts, each an error with the delegate and the nodes: a region that
/// is empty, names a node that is not there, shares one with another region, is in several pieces, or is left
/// by a path that comes back; regions that wait for each other. `subject` ("export CPP") stands in front.
void check_partitions(const graph::Graph& graph, std::span<const Partition> partitions,
                      const std::string& subject, Diagnostics& findings);

}  // namespace n2d2::delegates
