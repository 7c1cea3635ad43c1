// How does the graph look after each stage, and the program that is exported? `-dump graph` and `-dump
// program` write them to files.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "n2d2/config/ini_document.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/program/program.hpp"

namespace n2d2::app {

/// Everything is written in one folder; ConfigError when it cannot be.
class GraphDump {
 public:
  /// `what`: "graph", "program" or nothing; the network was built from `ini`, which must outlive the dump.
  GraphDump(std::string_view what, const config::IniDocument& ini, std::filesystem::path folder)
      : graphs_(what == "graph"), program_(what == "program"), ini_(ini), folder_(std::move(folder)) {}
  bool takes_graphs() const { return graphs_; }
  /// graph.NN.<stage>.txt and .json, NN counting from 00.
  void stage(std::string_view name, const graph::Graph& graph);
  /// A stage with a file from which the program runs: graph.NN.<stage>.graph.
  void network(std::string_view name, const loader::Network& net);
  /// Stage 00 again once its weights are there, now with its .graph file.
  void loaded(const loader::Network& net) const;
  /// For passes::run on the network: a stage after each pass. The dump must outlive it.
  passes::PassContext context(const loader::Network& net);
  /// program.txt and program.json.
  void program(const program::Program& program) const;

 private:
  bool graphs_, program_;
  const config::IniDocument& ini_;
  std::filesystem::path folder_;
  int count_ = 0;
};

}  // namespace n2d2::app
