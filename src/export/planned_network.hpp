// What does the exported program consist of? Nodes with their kernels, calls and places: the state of a Project.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "n2d2/export/project.hpp"

#include "memory_map.hpp"

namespace n2d2::exporter {

/// One cell of the program.
struct Cell {
  graph::NodeId node;
  std::string name;        ///< as in the INI
  std::string identifier;  ///< unique C identifier
  ExportNode code;
  std::vector<graph::ValueId> inputs;  ///< activations the calls read, by slot
  graph::ValueId output;
  std::vector<memory::StepId> steps;  ///< of each of code.calls
};

struct PlannedNetwork {
  graph::Graph graph;
  std::vector<ProjectTarget> targets;
  Options options;
  std::vector<PlannedNode> nodes;  ///< in order of execution
  MemoryMap memory;
  std::vector<Cell> cells;  ///< of nodes

  graph::ValueId input() const { return graph.inputs().at(0); }
  const TensorType& input_type() const { return graph.value(input()).type; }
  bool input_in_arena() const { return memory.has(input()); }
};

/// Chooses kernels and the order of execution, plans the memory, makes the calls. Errors as prepare() says.
PlannedNetwork plan_network(graph::Graph graph, std::vector<ProjectTarget> targets, const Options& options);

/// The same network with another plan of its memory. ExportError with the reasons when it is not valid.
PlannedNetwork with_memory(const PlannedNetwork& network, const MemoryMap& map);

}  // namespace n2d2::exporter
