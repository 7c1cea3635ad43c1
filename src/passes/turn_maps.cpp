#include "n2d2/passes/turn_maps.hpp"

namespace n2d2::passes {

namespace {

/// Walks over the old graph and builds the new one.
class Turner {
 public:
  Turner(graph::Graph& to, const graph::Graph& from, const TurnRefused& refused)
      : to_(to), from_(from), refused_(refused) {}

  TurnedGraph run(const std::vector<graph::ValueId>& inputs) {
    N2D2_CHECK(inputs.size() == from_.inputs().size(), "{} values for {} inputs", inputs.size(),
               from_.inputs().size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Shape &old = from_.value(from_.inputs()[i]).type.shape, given = to_.value(inputs[i]).type.shape;
      N2D2_CHECK(given == graph::turned(old), "input {} is {}, expected {} turned", i, given.text(),
                 old.text());
      done_.values[from_.inputs()[i]] = inputs[i];
    }
    for (const graph::NodeId id : from_.schedule()) add(from_.node(id));
    return std::move(done_);
  }

 private:
  graph::TurnedNode read(const graph::Node& node) const;
  void add(const graph::Node& node);
  void build(const graph::Node& old, graph::TurnedNode& turned);
  void lose(const graph::Node& node);

  graph::Graph& to_;
  const graph::Graph& from_;
  const TurnRefused& refused_;
  TurnedGraph done_;
};

graph::TurnedNode Turner::read(const graph::Node& node) const {
  N2D2_CHECK(node.outputs.size() == 1 && !node.rescale && node.delegate.empty(), "'{}' is no imported layer",
             node.name);
  graph::TurnedNode out{node.name, {}, from_.value(node.outputs[0]).type.shape, {}, {}};
  for (const graph::ValueId input : node.inputs) {
    const auto order = done_.orders.find(input);
    out.in.push_back(from_.value(input).type.shape);
    out.orders.push_back(order == done_.orders.end() ? nullptr : order->second);
    out.constants.push_back(from_.value(input).constant);
  }
  return out;
}

/// Adds the operator with its constants.
void Turner::build(const graph::Node& old, graph::TurnedNode& turned) {
  std::vector<graph::ValueId> inputs;
  for (size_t slot = 0; slot < old.inputs.size(); ++slot) {
    const graph::Value& input = from_.value(old.inputs[slot]);
    if (!input.is_constant()) {
      inputs.push_back(done_.values.at(input.id));
      continue;
    }
    const auto changed = turned.changed.find(slot);
    inputs.push_back(to_.add_constant(to_.unique_name(input.name),
                                      changed == turned.changed.end() ? *input.constant : changed->second,
                                      input.type.quant));
  }
  if (!turned.op) turned.op = old.op->clone();
  const graph::NodeId id = to_.add(std::move(turned.op), to_.unique_name(old.name), inputs, old.origin);
  to_.set_clamp(id, old.clamp);
  const graph::ValueId value = to_.node(id).outputs.at(0);
  const Shape expected = turned.order ? turned.out : graph::turned(turned.out);
  N2D2_CHECK(to_.value(value).type.shape == expected, "'{}' is {}, expected {}", old.name,
             to_.value(value).type.shape.text(), expected.text());
  done_.nodes[old.id] = id;
  for (const graph::ValueId input : old.inputs)
    if (done_.guessed.contains(input)) done_.guessed.insert(old.outputs[0]);
  done_.values[old.outputs[0]] = value;
  if (turned.order) done_.orders[old.outputs[0]] = turned.order;
}

/// What follows is read on with a stand-in, for its own findings.
void Turner::lose(const graph::Node& node) {
  const Shape shape = graph::turned(from_.value(node.outputs.at(0)).type.shape);
  done_.guessed.insert(node.outputs[0]);
  done_.values[node.outputs[0]] =
      to_.add_input(to_.unique_name(node.name + "_lost"), {shape, DataType::F32, Layout::Nchw, {}});
}

void Turner::add(const graph::Node& node) {
  graph::TurnedNode turned = read(node);
  try {
    node.op->turned(turned);
  } catch (const ModelError& e) {
    refused_(node, e.findings().front().message, e.findings().front().hint);
    return lose(node);
  }
  build(node, turned);
}

}  // namespace

TurnedGraph add_turned(graph::Graph& to, const graph::Graph& from, const std::vector<graph::ValueId>& inputs,
                       const TurnRefused& refused) {
  return Turner(to, from, refused).run(inputs);
}

}  // namespace n2d2::passes
