// Where is the import of one file? Tensors by name, findings so far, and the graph that grows.
#pragma once

#include "node.hpp"

namespace n2d2::onnx {

class Importer {
 public:
  Importer(graph::Graph& graph, const File& file, const ImportOptions& options);

  void add_inputs(const std::vector<graph::ValueId>& inputs);
  void add_nodes();
  /// Throws what was found.
  Imported finish();

 private:
  friend class Node;

  void add_input(const GraphInput& input, graph::ValueId value);
  void add_node(const FileNode& node);
  void convert(Node& node, const Rule& rule);
  bool leave_out(const FileNode& node);
  bool hangs_on_dropped(const FileNode& node);
  void set(const std::string& name, Operand operand);
  void set_grid(const std::string& name, const Grid& grid);
  std::optional<Grid> grid_of_inputs(const FileNode& node, Integers handling) const;
  void lose_outputs(const FileNode& node);
  std::optional<Extents> likely_extents(const FileNode& node, size_t output) const;
  void error(std::string message, std::string hint = {}) {
    findings_.error({file_.path, 0}, std::move(message), std::move(hint));
  }

  graph::Graph& graph_;
  const File& file_;
  const ImportOptions& options_;
  SourceLocation origin_;
  Diagnostics findings_;
  Imported imported_;
  std::map<std::string, Operand, std::less<>> operands_;
  /// Tensors of nodes that have findings, or hang on such nodes; and of nodes that were left out.
  std::set<std::string, std::less<>> broken_, dropped_;
  std::set<std::string, std::less<>> ignored_;
  /// How many nodes and outputs read a tensor; how many tensors share a value of the graph.
  std::map<std::string, int, std::less<>> reads_;
  std::map<graph::ValueId, int> names_;
  std::set<graph::NodeId> nodes_;
  /// What constants that nodes made may still take, in bytes.
  int64_t folding_room_ = int64_t{1} << 28;
};

}  // namespace n2d2::onnx
