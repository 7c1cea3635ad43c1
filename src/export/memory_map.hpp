// Where does each activation of a graph lie? The graph's side of the memory planner.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "n2d2/export/project.hpp"
#include "n2d2/memory/plan.hpp"

namespace n2d2::exporter {

/// A node with its kernel, in order of execution.
struct PlannedNode {
  graph::NodeId node;
  const ImplSpec* kernel = nullptr;
  bool parallel = false;
};

/// Where a value begins: row 0, pixel 0, channel 0.
struct Place {
  bool outside = false;  ///< in the caller's packed network input, at byte 0
  memory::MemoryId memory = 0;
  memory::Bytes offset = 0;
};

/// One step of the planner's problem, which is one kernel call.
struct PlannedStep {
  memory::StepId step = memory::kNone;
  int slot = memory::kNone;  ///< the data input that is copied to its part of the output; kNone: a whole node
};

struct MemoryMap {
  memory::Problem problem;
  memory::Plan plan;
  std::vector<memory::Bytes> lower_bounds;  ///< of each memory
  double milliseconds = 0;                  ///< spent by memory::solve; the only thing here that varies
  /// Buffers of the activations; a network input that lies outside the arena, and a Reshape of it, has none.
  std::map<graph::ValueId, memory::BufferId> buffer_of;
  /// Inputs of Concats that their producers write in place, in order of execution.
  std::vector<graph::ValueId> lanes;
  /// Calls each node makes: none for an alias, and for a Concat that others write.
  std::map<graph::NodeId, std::vector<PlannedStep>> steps_of;

  bool has(graph::ValueId value) const { return buffer_of.contains(value); }
  Place place(graph::ValueId value) const;
  /// Addressing of a value in elements of its type; packed when it lies outside the arena.
  Plane plane(const graph::Graph& graph, graph::ValueId value) const;
};

/// The problem of a graph, no plan yet:
///   - an activation is a buffer, its pixel pitch rounded up to MemoryAlignment when it has several channels;
///   - the inputs of a Concat are lanes: buffers inside the Concat's at their first channel, with its pitch. An
///     input that cannot be a lane (the network input, something that is a lane or an alias already, the second
///     use of a value, a layer with other memories) or that is one of `copied` is copied to a lane of its own by
///     one step;
///   - a Reshape is an alias inside its source where the pitches allow it, else a copy.
MemoryMap memory_problem(const graph::Graph& graph, std::span<const PlannedNode> nodes,
                         std::span<const ProjectTarget> targets, const ExportParameters& parameters,
                         const std::set<graph::ValueId>& copied = {});

/// ExportError naming each memory that is too small, what it would need and the least any plan needs.
void expect_room(const MemoryMap& map);

/// ExportError with every reason why validate rejects the plan.
void expect_valid(const MemoryMap& map);

/// The nodes in the order of execution with the lowest load of memory (memory::best_order); as given unless
/// another one is strictly lower.
std::vector<PlannedNode> in_order_of_memory(const graph::Graph& graph, std::vector<PlannedNode> nodes,
                                            std::span<const ProjectTarget> targets,
                                            const ExportParameters& parameters);

/// The problem, solved and validated. A lane that lowers the bound when it is copied instead is copied: the whole
/// Concat has its bytes from its first lane on.
MemoryMap plan_memory(const graph::Graph& graph, std::span<const PlannedNode> nodes,
                      std::span<const ProjectTarget> targets, const ExportParameters& parameters);

}  // namespace n2d2::exporter
