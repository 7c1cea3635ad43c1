// How do delegates get their parts of a graph? Each region becomes one node, and that node gets a kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "n2d2/delegates/delegate.hpp"
#include "n2d2/program/kernel.hpp"

namespace n2d2::delegates {

using Delegates = std::vector<std::shared_ptr<const Delegate>>;

/// A part as an export needs to know it.
struct HandedPart {
  std::string node;      ///< its name in the graph
  std::string delegate;  ///< id
  std::shared_ptr<const Blob> blob;
  bool is_destroyed = false;          ///< the delegate has a function that gives back what it holds
  std::vector<RunTimeFile> run_time;  ///< of the delegate
};

/// The kernels must outlive every program that is lowered with them.
struct HandedOver {
  /// Regions are nodes ops::Part, called after their delegate. Other nodes keep name and order.
  graph::Graph graph;
  /// What leaves the program, in the order in which it was given.
  std::vector<program::Output> outputs;
  /// Kernels of the parts. For every other node the library falls back on the library `behind` of
  /// hand_over().
  std::unique_ptr<program::KernelLibrary> kernels;
  std::vector<HandedPart> parts;  ///< in the order in which they were made
};

/// Asks the delegates in this order, checks all their regions, and makes parts of them. ExportError with
/// every finding of check_partitions.
HandedOver hand_over(const graph::Graph& graph, const std::vector<program::Output>& outputs,
                     const Delegates& delegates, const program::KernelLibrary& behind,
                     const std::string& subject);

/// The graph of one region, nodes, values and constants called as they are: inputs are the values it reads of
/// others, in the order of the schedule, outputs those that others read or that leave the graph; their ids in
/// the whole graph are appended to `inputs` and `outputs`.
graph::Graph part_of(const graph::Graph& graph, const NodeSet& region, std::vector<graph::ValueId>& inputs,
                     std::vector<graph::ValueId>& outputs);

}  // namespace n2d2::delegates
