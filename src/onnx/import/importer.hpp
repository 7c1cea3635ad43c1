// Where is the import of one file? Tensors by name, findings so far, and the graph that grows.
#pragma once

#include <list>

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
  bool add_lying(const GraphInput& input, const Extents& dims, graph::ValueId value);
  graph::ValueId as_input_map(const GraphInput& input, graph::ValueId value, const Shape& wanted);
  void refuse_input(const GraphInput& input, const Extents& dims, const Shape& given);
  void add_node(const FileNode& node);
  /// A Transpose whose order only the rank says (kMovesFirst), with its order; null for others.
  const FileNode* with_order(const FileNode& node);
  void add_branch(const FileNode& node, const Branch& branch);
  void count_reads(const std::vector<FileNode>& nodes);
  void convert(Node& node, const Rule& rule, bool is_over_channels);
  bool leave_out(const FileNode& node);
  bool hangs_on_dropped(const FileNode& node);
  /// Gives an output of the file the order of the file.
  void finish_output(const std::string& name);
  void set(const std::string& name, Operand operand);
  void set_grid(const std::string& name, const Grid& grid);
  /// The operand in the order of the file: what is channels_last gets the Transpose that it needs.
  const Operand& straight(const std::string& name);
  void make_straight(const std::string& name, Operand& operand);
  bool is_turned(const std::string& name) const;
  void see_stack(const FileNode& node);
  void see_sequence(const FileNode& node);
  void see_sequence(const std::string& name);
  /// What Reshapes of this import read that make the value.
  graph::ValueId behind_reshapes(graph::ValueId value) const;
  /// The bytes of a map under other extents.
  graph::ValueId as_map(graph::ValueId value, const Shape& shape, const std::string& name);
  /// The bytes of a view in this order: as row, column, channel of a map, the last `channels` extents as
  /// channels; without it as channel, row, column.
  graph::ValueId moved(graph::ValueId value, const Split& split, const std::vector<size_t>& order,
                       std::optional<size_t> channels, const std::string& name);
  /// Shows a function of single values a view as the map whose bytes it is. Null where it stays as it is.
  std::shared_ptr<const Split> show_bytes(Node& node);
  void set_bytes(const FileNode& node, const Split& split);
  /// A Softmax over the last axis of what is channels_last, as one over the channels.
  std::optional<FileNode> over_channels(const FileNode& node) const;
  /// Shows the node its second operand with the axes that operator sets 1 to 6 mean. False where these are
  /// the operand's own.
  bool show_old_operand(Node& node) const;
  /// Whether the node does the same to N,C,... as to N,...,C, which some of its inputs are: then it sees the
  /// former.
  bool show_channels_first(Node& node, bool is_over_channels);
  /// What such a node made is channels_last again.
  void turn_outputs(const FileNode& node);
  /// Whether the node reads data whose batch is not at axis 0, and must see it there.
  bool reads_moved_batch(const FileNode& node) const;
  /// Puts a node in that sees the batch of its inputs at axis 0.
  void add_batch_first(const FileNode& node, const Rule& rule);
  void add_by(const Rule& rule, const FileNode& node);
  /// The file has the batch of the tensor at this axis; its extents here have it first.
  void move_batch(const std::string& name, size_t axis);
  std::optional<Grid> grid_of_inputs(const FileNode& node, Integers handling) const;
  void lose_outputs(const FileNode& node);
  void refuse_operator(const FileNode& node);
  /// How to do without the node and what hangs on it: the tensors in front of it. "" where these are inputs
  /// of the network.
  std::string cut_hint(const FileNode& node) const;
  /// What helps with this operator, or how to do without it. "" where nothing does.
  std::string hint_for(const FileNode& node) const;
  std::optional<Extents> likely_extents(const FileNode& node, size_t output) const;
  void error(std::string message, std::string hint = {}) {
    findings_.error({file_.path, 0}, std::move(message), std::move(hint));
  }

  graph::Graph& graph_;
  const File& file_;
  const ImportOptions& options_;
  SourceLocation origin_;
  Diagnostics findings_;
  /// Nodes of operators that are not imported, by operator, and how many there are.
  std::map<std::string, std::pair<std::string, int>> unknown_;
  Imported imported_;
  std::map<std::string, Operand, std::less<>> operands_;
  /// Tensors of nodes that have findings, or hang on such nodes; and of nodes that were left out.
  std::set<std::string, std::less<>> broken_, dropped_;
  std::set<std::string, std::less<>> ignored_;
  /// How many nodes and outputs read a tensor; how many tensors share a value of the graph.
  std::map<std::string, int, std::less<>> reads_;
  std::map<graph::ValueId, int> names_;
  std::set<graph::NodeId> nodes_;
  std::list<FileNode> ordered_;  ///< those of with_order()
  /// What constants that nodes made may still take, in bytes.
  int64_t folding_room_ = int64_t{1} << 28;
};

}  // namespace n2d2::onnx
