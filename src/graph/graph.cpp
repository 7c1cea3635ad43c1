#include "n2d2/graph/graph.hpp"

#include <algorithm>
#include <queue>

namespace n2d2::graph {

std::string subject(const Node& node) {
  return fmt::format("[{}] {}", node.name, node.op->type());
}

std::vector<Shape> input_shapes(const Graph& graph, const Node& node) {
  std::vector<Shape> shapes;
  for (const ValueId input : node.inputs) shapes.push_back(graph.value(input).type.shape);
  return shapes;
}

IntegerForm integer_form(const Graph& graph, const Node& node) {
  IntegerForm form = node.op->integer_form(input_shapes(graph, node));
  if (!form.of_table || node.inputs.size() != 2) return form;
  const Value& table = graph.value(node.inputs[1]);
  if (table.is_constant() && table.type.dtype != DataType::F32 &&
      form.of_table->fault(*table.constant).empty())
    form.unit = form.of_table->unit(*table.constant);
  return form;
}

// ---- copies ----------------------------------------------------------------------------------------------

Graph::Graph(const Graph& other)
    : inputs_(other.inputs_),
      outputs_(other.outputs_),
      node_names_(other.node_names_),
      value_names_(other.value_names_) {
  for (const auto& node : other.nodes_) {
    if (!node) {
      nodes_.push_back(nullptr);
      continue;
    }
    auto copy = std::make_unique<Node>();
    copy->id = node->id;
    copy->name = node->name;
    copy->op = node->op->clone();
    copy->inputs = node->inputs;
    copy->outputs = node->outputs;
    copy->origin = node->origin;
    copy->clamp = node->clamp;
    copy->rescale = node->rescale;
    copy->delegate = node->delegate;
    nodes_.push_back(std::move(copy));
  }
  for (const auto& value : other.values_)
    values_.push_back(value ? std::make_unique<Value>(*value) : nullptr);
}

Graph& Graph::operator=(const Graph& other) {
  if (this != &other) *this = Graph(other);
  return *this;
}

// ---- reading ---------------------------------------------------------------------------------------------

const Node& Graph::node(NodeId id) const {
  N2D2_CHECK(id && static_cast<size_t>(id.index) < nodes_.size() && nodes_[id.index], "no node {}", id.index);
  return *nodes_[id.index];
}
const Value& Graph::value(ValueId id) const {
  N2D2_CHECK(id && static_cast<size_t>(id.index) < values_.size() && values_[id.index], "no value {}",
             id.index);
  return *values_[id.index];
}
Node& Graph::at(NodeId id) {
  return const_cast<Node&>(std::as_const(*this).node(id));
}
Value& Graph::at(ValueId id) {
  return const_cast<Value&>(std::as_const(*this).value(id));
}

std::optional<NodeId> Graph::find_node(std::string_view name) const {
  const int index = node_names_.find(name);
  return index < 0 ? std::nullopt : std::optional(NodeId{index});
}
std::optional<ValueId> Graph::find_value(std::string_view name) const {
  const int index = value_names_.find(name);
  return index < 0 ? std::nullopt : std::optional(ValueId{index});
}
bool Graph::is_output(ValueId id) const {
  return std::find(outputs_.begin(), outputs_.end(), id) != outputs_.end();
}

std::vector<NodeId> Graph::nodes() const {
  std::vector<NodeId> out;
  for (const auto& node : nodes_)
    if (node) out.push_back(node->id);
  return out;
}
std::vector<ValueId> Graph::values() const {
  std::vector<ValueId> out;
  for (const auto& value : values_)
    if (value) out.push_back(value->id);
  return out;
}

std::vector<NodeId> Graph::schedule() const {
  std::vector<int> waiting(nodes_.size(), 0);
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
  size_t total = 0;
  for (const auto& node : nodes_) {
    if (!node) continue;
    ++total;
    for (const ValueId input : node->inputs)
      if (value(input).producer) ++waiting[node->id.index];
    if (waiting[node->id.index] == 0) ready.push(node->id);
  }
  std::vector<NodeId> order;
  while (!ready.empty()) {
    const NodeId id = ready.top();
    ready.pop();
    order.push_back(id);
    for (const ValueId output : node(id).outputs)
      for (const Use& use : value(output).uses)
        if (--waiting[use.node.index] == 0) ready.push(use.node);
  }
  if (order.size() == total) return order;
  std::string cycle;
  for (const auto& node : nodes_)
    if (node && waiting[node->id.index] > 0) cycle += (cycle.empty() ? "" : ", ") + node->name;
  throw ModelError("the graph has a cycle through " + cycle);
}

std::string Graph::unique_name(std::string_view name) const {
  std::string candidate(name);
  for (int i = 2; node_names_.contains(candidate) || value_names_.contains(candidate); ++i)
    candidate = fmt::format("{}_{}", name, i);
  return candidate;
}

// ---- building --------------------------------------------------------------------------------------------

ValueId Graph::add_value(std::string name, TensorType type) {
  N2D2_CHECK(!name.empty() && !find_value(name), "value '{}' exists already", name);
  const ValueId id{static_cast<int>(values_.size())};
  auto value = std::make_unique<Value>();
  value->id = id;
  value->name = std::move(name);
  value->type = std::move(type);
  value_names_.insert(value->name, id.index);
  values_.push_back(std::move(value));
  return id;
}

ValueId Graph::add_input(std::string name, TensorType type) {
  N2D2_CHECK(type.shape.rank() == 4 && type.shape.n() == 1, "input '{}' has shape {}", name,
             type.shape.text());
  const ValueId id = add_value(std::move(name), std::move(type));
  inputs_.push_back(id);
  return id;
}

ValueId Graph::add_constant(std::string name, Tensor tensor, std::optional<QuantParams> quant) {
  const ValueId id =
      add_value(std::move(name), {tensor.shape(), tensor.dtype(), tensor.layout(), std::move(quant)});
  at(id).constant = std::make_shared<const Tensor>(std::move(tensor));
  return id;
}

std::vector<Shape> Graph::infer_node(const Node& node) const {
  std::vector<Shape> shapes;
  for (const ValueId input : node.inputs) shapes.push_back(value(input).type.shape);
  try {
    std::vector<Shape> out = node.op->infer(shapes);
    for (const Shape& shape : out) shape.elements();  // whoever multiplies extents later need not look
    return out;
  } catch (const ModelError& error) {
    const Diagnostic& finding = error.findings().front();
    throw ModelError(subject(node) + ": " + finding.message, node.origin, finding.hint);
  }
}

NodeId Graph::add(std::unique_ptr<Operator> op, std::string name, std::vector<ValueId> inputs,
                  SourceLocation origin) {
  N2D2_CHECK(!name.empty() && !find_node(name), "node '{}' exists already", name);
  const NodeId id{static_cast<int>(nodes_.size())};
  auto node = std::make_unique<Node>();
  node->id = id;
  node->name = std::move(name);
  node->op = std::move(op);
  node->inputs = std::move(inputs);
  node->origin = std::move(origin);
  const std::vector<Shape> shapes = infer_node(*node);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::string output = i == 0 ? node->name : fmt::format("{}:{}", node->name, i);
    node->outputs.push_back(add_value(output, {shapes[i], DataType::F32, Layout::Nchw, {}}));
    at(node->outputs.back()).producer = id;
  }
  for (size_t i = 0; i < node->inputs.size(); ++i)
    at(node->inputs[i]).uses.push_back({id, static_cast<int>(i)});
  node_names_.insert(node->name, id.index);
  nodes_.push_back(std::move(node));
  return id;
}

void Graph::set_outputs(std::vector<ValueId> outputs) {
  for (const ValueId id : outputs) value(id);
  outputs_ = std::move(outputs);
}

// ---- edits -----------------------------------------------------------------------------------------------

void Graph::remove_use(ValueId value, Use use) {
  auto& uses = at(value).uses;
  const auto it = std::find(uses.begin(), uses.end(), use);
  N2D2_CHECK(it != uses.end(), "value '{}' does not know a use", at(value).name);
  uses.erase(it);
}

void Graph::drop(ValueId value) {
  value_names_.erase(at(value).name);
  values_[value.index] = nullptr;
}

void Graph::drop_if_unused_constant(ValueId value) {
  if (at(value).is_constant() && at(value).uses.empty() && !is_output(value)) drop(value);
}

void Graph::replace_uses(ValueId from, ValueId to) {
  if (from == to) return;
  for (const Use& use : std::exchange(at(from).uses, {})) {
    at(use.node).inputs[use.slot] = to;
    at(to).uses.push_back(use);
  }
  std::replace(outputs_.begin(), outputs_.end(), from, to);
}

void Graph::bypass(NodeId id) {
  const ValueId input = node(id).inputs.at(0);
  remove_use(input, {id, 0});
  at(id).inputs.erase(at(id).inputs.begin());
  for (size_t i = 0; i < node(id).inputs.size(); ++i) {
    auto& uses = at(node(id).inputs[i]).uses;
    const Use old{id, static_cast<int>(i) + 1};
    *std::find(uses.begin(), uses.end(), old) = {id, static_cast<int>(i)};
  }
  replace_uses(node(id).outputs.at(0), input);
  erase(id);
}

void Graph::erase(NodeId id) {
  for (const ValueId output : node(id).outputs)
    N2D2_CHECK(value(output).uses.empty() && !is_output(output), "node '{}' is still used", node(id).name);
  for (const ValueId output : node(id).outputs) drop(output);
  const std::vector<ValueId> inputs = node(id).inputs;
  for (size_t i = 0; i < inputs.size(); ++i) remove_use(inputs[i], {id, static_cast<int>(i)});
  node_names_.erase(node(id).name);
  nodes_[id.index] = nullptr;
  for (const ValueId input : inputs)
    if (values_[input.index]) drop_if_unused_constant(input);
}

void Graph::replace(NodeId id, std::unique_ptr<Operator> op, std::vector<ValueId> inputs) {
  const std::vector<ValueId> old = node(id).inputs;
  for (size_t i = 0; i < old.size(); ++i) remove_use(old[i], {id, static_cast<int>(i)});
  at(id).op = std::move(op);
  at(id).inputs = std::move(inputs);
  for (size_t i = 0; i < node(id).inputs.size(); ++i)
    at(node(id).inputs[i]).uses.push_back({id, static_cast<int>(i)});
  for (const ValueId input : old)
    if (values_[input.index]) drop_if_unused_constant(input);
  infer_after(id);
}

NodeId Graph::insert_before(Use use, std::unique_ptr<Operator> op, std::string name, SourceLocation origin) {
  const ValueId source = node(use.node).inputs.at(use.slot);
  const NodeId fresh = add(std::move(op), std::move(name), {source}, std::move(origin));
  remove_use(source, use);
  const ValueId output = node(fresh).outputs.at(0);
  at(use.node).inputs[use.slot] = output;
  at(output).uses.push_back(use);
  infer_after(use.node);
  return fresh;
}

void Graph::rename(NodeId id, std::string name) {
  N2D2_CHECK(!find_node(name) && !find_value(name), "'{}' exists already", name);
  Value& output = at(node(id).outputs.at(0));
  value_names_.erase(output.name);
  value_names_.insert(name, output.id.index);
  output.name = name;
  node_names_.erase(node(id).name);
  node_names_.insert(name, id.index);
  at(id).name = std::move(name);
}

void Graph::set_constant(ValueId id, Tensor tensor, std::optional<QuantParams> quant) {
  Value& value = at(id);
  N2D2_CHECK(value.is_constant(), "value '{}' is not a constant", value.name);
  const bool same_shape = value.type.shape == tensor.shape();
  value.type = {tensor.shape(), tensor.dtype(), tensor.layout(), std::move(quant)};
  value.constant = std::make_shared<const Tensor>(std::move(tensor));
  if (!same_shape) infer_shapes();
}

Tensor& Graph::mutable_constant(ValueId id) {
  Value& value = at(id);
  N2D2_CHECK(value.is_constant(), "value '{}' is not a constant", value.name);
  if (value.constant.use_count() > 1) value.constant = std::make_shared<const Tensor>(*value.constant);
  value.type.quant.reset();
  return const_cast<Tensor&>(*value.constant);
}

void Graph::set_type(ValueId id, TensorType type) {
  N2D2_CHECK(at(id).type.shape == type.shape, "value '{}' is {}, not {}", at(id).name,
             at(id).type.shape.text(), type.shape.text());
  at(id).type = std::move(type);
}

bool Graph::infer_outputs(NodeId id) {
  const std::vector<Shape> shapes = infer_node(node(id));
  N2D2_CHECK(shapes.size() == node(id).outputs.size(), "node '{}' changed its number of outputs",
             node(id).name);
  bool changed = false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Shape& shape = at(node(id).outputs[i]).type.shape;
    changed |= shape != shapes[i];
    shape = shapes[i];
  }
  return changed;
}

void Graph::infer_after(NodeId id) {
  if (infer_outputs(id)) infer_shapes();
}

void Graph::infer_shapes() {
  for (const NodeId id : schedule()) infer_outputs(id);
}

}  // namespace n2d2::graph
