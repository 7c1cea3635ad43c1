// How does the graph look after each stage, and the program that is exported? `-dump graph` and `-dump program` write
// them to files.
#pragma once

#include <string_view>

#include "n2d2/graph/graph.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/program/program.hpp"

namespace n2d2::app {

class GraphDump {
 public:
  /// `what`: "graph", "program" or nothing.
  explicit GraphDump(std::string_view what) : graphs_(what == "graph"), program_(what == "program") {}
  /// graph.NN.<stage>.txt in the working directory, NN counting from 00. ConfigError when it cannot be written.
  void stage(std::string_view name, const graph::Graph& graph);
  /// For passes::run: a stage after each pass. The dump must outlive it.
  passes::PassContext context();
  /// program.txt and program.json in the working directory.
  void program(const program::Program& program) const;

 private:
  bool graphs_, program_;
  int count_ = 0;
};

}  // namespace n2d2::app
