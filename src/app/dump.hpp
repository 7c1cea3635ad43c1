// How does the graph look after each stage? `-dump graph` writes it to files.
#pragma once

#include <string_view>

#include "n2d2/graph/graph.hpp"
#include "n2d2/passes/pass.hpp"

namespace n2d2::app {

class GraphDump {
 public:
  explicit GraphDump(bool enabled) : enabled_(enabled) {}
  /// graph.NN.<stage>.txt in the working directory, NN counting from 00. ConfigError when it cannot be written.
  void stage(std::string_view name, const graph::Graph& graph);
  /// For passes::run: a stage after each pass. The dump must outlive it.
  passes::PassContext context();

 private:
  bool enabled_;
  int count_ = 0;
};

}  // namespace n2d2::app
