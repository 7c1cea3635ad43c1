#include "blocks.hpp"

#include <algorithm>
#include <map>

#include "n2d2/graph/integer_form.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/softmax.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

/// Nodes between two cuts.
struct Segment {
  std::vector<NodeId> nodes;
  ValueId in, out;  ///< out: none at the end
  size_t layers = 0;
  bool normalizes = false;
};

/// Number of values that are made by the first i + 1 nodes, or enter the graph, and are read by later ones;
/// the value where it is one.
class Crossings {
 public:
  Crossings(const graph::Graph& graph, const std::vector<NodeId>& order) : graph_(graph) {
    for (size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
  }
  /// Where a value is read last; before any node where nobody reads it.
  std::ptrdiff_t last_use(ValueId id) const {
    std::ptrdiff_t last = -1;
    for (const graph::Use& use : graph_.value(id).uses)
      last = std::max(last, static_cast<std::ptrdiff_t>(place_.at(use.node)));
    return last;
  }

 private:
  const graph::Graph& graph_;
  std::map<NodeId, size_t> place_;
};

std::vector<Segment> segments_of(const graph::Graph& graph) {
  const std::vector<NodeId> order = graph.schedule();
  const Crossings crossings(graph, order);
  std::map<ValueId, std::ptrdiff_t> live;
  for (const ValueId id : graph.inputs()) live[id] = crossings.last_use(id);
  std::vector<Segment> out;
  Segment now;
  now.in = graph.inputs().at(0);
  for (size_t i = 0; i < order.size(); ++i) {
    const graph::Node& node = graph.node(order[i]);
    now.nodes.push_back(node.id);
    now.layers += graph::integer_form(graph, node).weighted ? 1 : 0;
    now.normalizes = now.normalizes || graph::as<ops::Softmax>(node) || graph::as<ops::LogSoftmax>(node);
    for (const ValueId id : node.outputs) live[id] = crossings.last_use(id);
    std::erase_if(live, [&](const auto& entry) { return entry.second <= static_cast<std::ptrdiff_t>(i); });
    const bool is_last = i + 1 == order.size();
    if (live.size() != 1 && !is_last) continue;
    if (!live.empty()) now.out = live.begin()->first;
    out.push_back(now);
    now = {};
    if (!live.empty()) now.in = live.begin()->first;
  }
  return out;
}

std::vector<ValueId> outs_of(const graph::Graph& graph, const Block& block, ValueId out) {
  std::vector<ValueId> outs;
  if (out) outs.push_back(out);
  for (const NodeId id : block.nodes)
    for (const ValueId value : graph.node(id).outputs)
      if (graph.is_output(value) && value != out) outs.push_back(value);
  return outs;
}

/// Whether the node is none of the float graph, but rounds a value of it.
bool is_rounding(const graph::Graph& floats, const graph::Node& node) {
  return graph::as<ops::FakeQuantize>(node) != nullptr && !floats.find_node(node.name);
}

}  // namespace

std::vector<Block> blocks_of(const graph::Graph& floats, size_t most) {
  std::vector<Segment> segments = segments_of(floats);
  while (!segments.empty() && segments.back().layers == 0 && segments.back().normalizes) segments.pop_back();
  std::vector<Block> blocks;
  size_t layers = 0;
  ValueId out;
  const auto close = [&] {
    if (!blocks.empty()) blocks.back().outs = outs_of(floats, blocks.back(), out);
  };
  for (const Segment& segment : segments) {
    if (blocks.empty() || (layers > 0 && segment.layers > 0 && layers + segment.layers > most)) {
      close();
      blocks.push_back({{}, segment.in, {}});
      layers = 0;
    }
    Block& block = blocks.back();
    block.nodes.insert(block.nodes.end(), segment.nodes.begin(), segment.nodes.end());
    layers += segment.layers, out = segment.out;
  }
  close();
  return blocks;
}

graph::Graph block_graph(const graph::Graph& graph, const graph::Graph& floats, const Block& block) {
  graph::Graph out;
  std::map<ValueId, ValueId> made;
  made[block.in] = out.add_input(graph.value(block.in).name, graph.value(block.in).type);
  const auto value_for = [&](ValueId id, const auto& self) -> ValueId {
    if (const auto found = made.find(id); found != made.end()) return found->second;
    const graph::Value& value = graph.value(id);
    if (value.is_constant()) return made[id] = out.add_constant(value.name, *value.constant);
    const graph::Node& node = graph.node(value.producer);
    N2D2_CHECK(is_rounding(floats, node), "'{}' is outside of its block", value.name);
    const ValueId exact = self(node.inputs.at(0), self);
    if (node.inputs[0] == block.in) return made[id] = exact;
    const NodeId copy = out.add(node.op->clone(), node.name, {exact}, node.origin);
    return made[id] = out.node(copy).outputs.at(0);
  };
  for (const NodeId id : block.nodes) {
    const graph::Node& node = graph.node(id);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(value_for(input, value_for));
    const NodeId copy = out.add(node.op->clone(), node.name, inputs, node.origin);
    out.set_clamp(copy, node.clamp);
    for (size_t i = 0; i < node.outputs.size(); ++i) made[node.outputs[i]] = out.node(copy).outputs.at(i);
  }
  std::vector<ValueId> outs;
  for (const ValueId id : block.outs) outs.push_back(made.at(id));
  out.set_outputs(outs);
  return out;
}

const graph::Operator* rounding_of(const graph::Graph& simulated, const graph::Graph& floats, ValueId value) {
  for (const graph::Use& use : simulated.value(value).uses)
    if (is_rounding(floats, simulated.node(use.node))) return &simulated.op(use.node);
  return nullptr;
}

}  // namespace n2d2::quantize
