// Where does each activation of a graph lie? The graph's side of the memory planner.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "n2d2/export/project.hpp"
#include "n2d2/memory/plan.hpp"

namespace n2d2::exporter {

/// A node that has kernel calls, in order of execution.
struct PlannedNode {
  graph::NodeId node;
  const ImplSpec* kernel = nullptr;
};

struct MemoryMap {
  memory::Problem problem;
  memory::Plan plan;
  memory::Bytes lower_bound = 0;
  /// Buffers of the activations; a network input that lies outside the arena is not in it. Reshape outputs
  /// share the buffer of their input.
  std::map<graph::ValueId, memory::BufferId> buffer_of;
  /// "env" for the network input, else the name of the cell that writes it.
  std::map<graph::ValueId, std::string> cell_of;

  bool has(graph::ValueId value) const { return buffer_of.contains(value); }
  /// Bytes from the start of the arena to row 0, pixel 0, channel 0.
  memory::Bytes offset(graph::ValueId value) const;
  /// Addressing of a value in elements of its type; packed when it lies outside the arena.
  Plane plane(const graph::Graph& graph, graph::ValueId value) const;
};

/// Whether an operator only gives another name to the bytes of its input (Reshape).
bool is_alias(const graph::Node& node);

/// Builds the problem, solves and validates it. ExportError with every violation.
MemoryMap plan_memory(const graph::Graph& graph, std::span<const PlannedNode> nodes,
                      std::span<const ProjectTarget> targets, const ExportParameters& parameters);

}  // namespace n2d2::exporter
