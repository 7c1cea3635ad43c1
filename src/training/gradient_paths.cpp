#include "gradient_paths.hpp"

#include <algorithm>
#include <set>

namespace n2d2::training {

namespace {

using graph::Graph;
using graph::NodeId;
using graph::Use;
using graph::ValueId;

bool contains(std::span<const NodeId> nodes, NodeId node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

bool is_cut(const Graph& graph, Use use, std::span<const NodeId> stops) {
  return contains(stops, use.node) && graph.op(use.node).input_role(static_cast<size_t>(use.slot)).empty();
}

/// Values from which a gradient comes when the stops cut theirs.
std::set<ValueId> reached_values(const Graph& graph, std::span<const ValueId> seeds,
                                 std::span<const NodeId> stops) {
  std::set<ValueId> reached(seeds.begin(), seeds.end());
  std::vector<ValueId> open(seeds.begin(), seeds.end());
  while (!open.empty()) {
    const NodeId producer = graph.value(open.back()).producer;
    open.pop_back();
    if (!producer) continue;
    const auto& inputs = graph.node(producer).inputs;
    for (size_t slot = 0; slot < inputs.size(); ++slot)
      if (!is_cut(graph, {producer, static_cast<int>(slot)}, stops) && reached.insert(inputs[slot]).second)
        open.push_back(inputs[slot]);
  }
  return reached;
}

bool any_output_in(const Graph& graph, NodeId node, const std::set<ValueId>& values) {
  const auto& outputs = graph.node(node).outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](ValueId v) { return values.contains(v); });
}

/// Values that change when one of the constants does.
std::set<ValueId> depending_values(const Graph& graph, std::span<const ValueId> constants) {
  std::set<ValueId> values(constants.begin(), constants.end());
  for (const NodeId node : graph.schedule()) {
    const auto& inputs = graph.node(node).inputs;
    if (std::any_of(inputs.begin(), inputs.end(), [&](ValueId v) { return values.contains(v); }))
      values.insert(graph.node(node).outputs.begin(), graph.node(node).outputs.end());
  }
  return values;
}

}  // namespace

std::vector<ValueId> reached_constants(const Graph& graph, std::span<const ValueId> seeds,
                                       std::span<const NodeId> stops, std::span<const ValueId> learnt) {
  const std::set<ValueId> with_cuts = reached_values(graph, seeds, stops);
  const std::set<ValueId> without_cuts = stops.empty() ? with_cuts : reached_values(graph, seeds, {});
  const std::set<ValueId> learning = stops.empty() ? std::set<ValueId>{} : depending_values(graph, learnt);
  std::vector<ValueId> constants;
  for (const ValueId id : with_cuts) {
    const graph::Value& value = graph.value(id);
    if (value.is_constant()) constants.push_back(id);
    if (!learning.contains(id)) continue;
    for (const Use use : value.uses)
      if (any_output_in(graph, use.node, without_cuts) &&
          (is_cut(graph, use, stops) || !any_output_in(graph, use.node, with_cuts)))
        throw ModelError(
            fmt::format("{} BackPropagate: 0 is not supported here: '{}' learns through other layers, too",
                        graph::subject(graph.node(use.node)), value.name),
            graph.node(use.node).origin,
            "use BackPropagate=0 at every layer that reads it, or a learning rate of 0");
  }
  return constants;
}

}  // namespace n2d2::training
