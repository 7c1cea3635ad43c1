// What does the exported program consist of? Nodes with their kernels, calls and places: the state of a Project.
#pragma once

#include <map>
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
  bool is_alias = false;
};

struct PlannedNetwork {
  graph::Graph graph;
  std::vector<ProjectTarget> targets;
  Options options;
  MemoryMap memory;
  std::vector<Cell> cells;  ///< in order of execution

  graph::ValueId input() const { return graph.inputs().at(0); }
  const TensorType& input_type() const { return graph.value(input()).type; }
  bool input_in_arena() const { return memory.has(input()); }
};

/// Chooses kernels, plans the memory, makes the calls. Errors as prepare() says.
PlannedNetwork plan_network(graph::Graph graph, std::vector<ProjectTarget> targets, const Options& options);

/// Pointer into `arena`, or into the packed network input that lies outside it.
struct Place {
  bool outside = false;
  memory::Bytes offset = 0;
};
Place place_of(const PlannedNetwork& network, graph::ValueId value);

}  // namespace n2d2::exporter
