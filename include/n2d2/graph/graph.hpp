// What is connected to what? Nodes (operators) and the values (wires) between them.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/graph/operator.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::graph {

struct ValueId {
  int index = -1;
  friend auto operator<=>(const ValueId&, const ValueId&) = default;
  explicit operator bool() const { return index >= 0; }
};
struct NodeId {
  int index = -1;
  friend auto operator<=>(const NodeId&, const NodeId&) = default;
  explicit operator bool() const { return index >= 0; }
};

/// Input `slot` of `node` reads the value.
struct Use {
  NodeId node;
  int slot = 0;
  friend auto operator<=>(const Use&, const Use&) = default;
};

/// Which index has a name? Found in constant time, so that a graph is built in linear time.
class NameIndex {
 public:
  bool contains(std::string_view name) const { return index_.find(name) != index_.end(); }
  /// -1: nothing has that name.
  int find(std::string_view name) const {
    const auto it = index_.find(name);
    return it == index_.end() ? -1 : it->second;
  }
  void insert(const std::string& name, int index) { index_.emplace(name, index); }
  void erase(const std::string& name) { index_.erase(name); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  std::unordered_map<std::string, int, Hash, std::equal_to<>> index_;
};

/// A wire: one producer (none for graph inputs and constants), any number of uses in order of creation.
struct Value {
  ValueId id;
  std::string name;
  TensorType type;
  NodeId producer;
  std::vector<Use> uses;
  /// Set for weights, biases and other constants.
  std::shared_ptr<const Tensor> constant;
  bool is_constant() const { return constant != nullptr; }
};

struct Node {
  NodeId id;
  std::string name;
  std::unique_ptr<Operator> op;
  std::vector<ValueId> inputs, outputs;
  SourceLocation origin;
  /// A fused activation that is a clamp; applied to output 0 after the operator.
  std::optional<Clamp> clamp;
  /// Set by quantization: from accumulator to output integer.
  std::optional<Rescale> rescale;
  /// Engine that took the node; empty: the export library.
  std::string delegate;
};

/// The operator of a node as its type, or null: `if (const auto* conv = as<ops::Conv>(node))`.
template <class Op>
const Op* as(const Node& node) {
  return dynamic_cast<const Op*>(node.op.get());
}

class Graph {
 public:
  Graph() = default;
  Graph(const Graph& other);
  Graph& operator=(const Graph& other);
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept = default;
  ~Graph() = default;

  // ---- building ----------------------------------------------------------------------------------------
  /// Names are unique among values and among nodes; InternalError otherwise. The batch extent must be 1.
  ValueId add_input(std::string name, TensorType type);
  ValueId add_constant(std::string name, Tensor tensor, std::optional<QuantParams> quant = {});
  /// Infers the output shapes (ModelError with node and place); outputs are float32, N,C,H,W. Output 0 is
  /// named like the node.
  NodeId add(std::unique_ptr<Operator> op, std::string name, std::vector<ValueId> inputs,
             SourceLocation origin = {});
  /// Values that leave the graph (targets). They may also have uses.
  void set_outputs(std::vector<ValueId> outputs);

  // ---- the edits passes are made of; each keeps every invariant of verify() ------------------------------
  /// Every use of `from`, outputs of the graph included, becomes a use of `to`.
  void replace_uses(ValueId from, ValueId to);
  /// Users of the node's output 0 read its input 0 instead; then the node is erased.
  void bypass(NodeId node);
  /// Erases a node whose outputs nobody uses, and constants that nobody uses any more.
  void erase(NodeId node);
  /// Gives a node another operator and inputs; name, outputs, origin, clamp stay; shapes are inferred again,
  /// and downstream.
  void replace(NodeId node, std::unique_ptr<Operator> op, std::vector<ValueId> inputs);
  /// Puts a one-input operator on one edge: use reads the new node's output.
  NodeId insert_before(Use use, std::unique_ptr<Operator> op, std::string name, SourceLocation origin = {});
  void set_clamp(NodeId node, std::optional<Clamp> clamp) { at(node).clamp = clamp; }
  void set_rescale(NodeId node, std::optional<Rescale> rescale) { at(node).rescale = std::move(rescale); }
  void rename(NodeId node, std::string name);
  /// New content of a constant; shape and type may change, shapes downstream are inferred again.
  void set_constant(ValueId value, Tensor tensor, std::optional<QuantParams> quant = {});
  /// In-place access for training; the shape cannot change. A scale that came with the values is forgotten.
  Tensor& mutable_constant(ValueId value);
  /// Type of a value as quantization or layout decide it (dtype, layout, quant; the shape must be equal).
  void set_type(ValueId value, TensorType type);
  /// Infers every shape again, in schedule order.
  void infer_shapes();

  // ---- reading -------------------------------------------------------------------------------------------
  const Node& node(NodeId id) const;
  const Value& value(ValueId id) const;
  const Operator& op(NodeId id) const { return *node(id).op; }
  std::optional<NodeId> find_node(std::string_view name) const;
  std::optional<ValueId> find_value(std::string_view name) const;
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  bool is_output(ValueId id) const;
  /// Ids of all nodes in order of creation, of all values likewise (constants and inputs included).
  std::vector<NodeId> nodes() const;
  std::vector<ValueId> values() const;
  /// Deterministic topological order: of the nodes that are ready, the one created first. ModelError on a
  /// cycle.
  std::vector<NodeId> schedule() const;
  /// The producer of input `slot`, or an invalid id for graph inputs and constants.
  NodeId producer(NodeId node, size_t slot) const { return value(this->node(node).inputs.at(slot)).producer; }
  /// True when the value has exactly one use and does not leave the graph.
  bool has_single_use(ValueId id) const { return value(id).uses.size() == 1 && !is_output(id); }
  /// "name", else "name_2", "name_3", ...: the first that no node and no value has.
  std::string unique_name(std::string_view name) const;

 private:
  Node& at(NodeId id);
  Value& at(ValueId id);
  ValueId add_value(std::string name, TensorType type);
  /// The shapes of one node's outputs; true when one has changed.
  bool infer_outputs(NodeId node);
  /// Infers the output shapes of one node, and the shapes of all nodes when one of them has changed. An edit
  /// that keeps shapes costs no walk of the graph.
  void infer_after(NodeId node);
  void drop(ValueId value);
  void remove_use(ValueId value, Use use);
  void drop_if_unused_constant(ValueId value);
  std::vector<Shape> infer_node(const Node& node) const;

  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Value>> values_;
  std::vector<ValueId> inputs_, outputs_;
  NameIndex node_names_, value_names_;
};

/// Place and subject of a message about a node: "[conv1] Conv".
std::string subject(const Node& node);

std::vector<Shape> input_shapes(const Graph& graph, const Node& node);
/// What the operator answers for the shapes that the node reads.
IntegerForm integer_form(const Graph& graph, const Node& node);

}  // namespace n2d2::graph
