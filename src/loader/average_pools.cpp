#include "n2d2/graph/integer_form.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/quantize_activation.hpp"

#include "builder.hpp"

namespace n2d2::loader {

namespace {

/// The quantizer whose grid the values are on, behind layers that only move integers; none: they are on none.
graph::NodeId quantizer_of(const graph::Graph& graph, graph::ValueId value) {
  const graph::NodeId producer = graph.value(value).producer;
  if (!producer) return {};
  const graph::Node& node = graph.node(producer);
  if (graph::as<ops::QuantizeActivation>(node)) return producer;
  const bool moves = graph::integer_form(graph, node).scale == graph::ScaleOf::OfInput;
  return moves ? quantizer_of(graph, node.inputs.at(0)) : graph::NodeId{};
}

bool is_quantized(const graph::Graph& graph, graph::ValueId value) {
  for (const graph::Use& use : graph.value(value).uses)
    if (graph::as<ops::QuantizeActivation>(graph.node(use.node))) return true;
  return false;
}

}  // namespace

void round_average_pools(graph::Graph& graph) {
  for (const graph::NodeId id : graph.schedule()) {
    const auto* pool = graph::as<ops::Pool>(graph.node(id));
    if (pool == nullptr || pool->pooling != ops::Pooling::Average) continue;
    const graph::ValueId out = graph.node(id).outputs.at(0);
    const graph::NodeId before = quantizer_of(graph, graph.node(id).inputs.at(0));
    if (!before || graph.is_output(out) || is_quantized(graph, out)) continue;
    const std::vector<graph::Use> uses = graph.value(out).uses;
    auto op =
        std::make_unique<ops::QuantizeActivation>(*graph::as<ops::QuantizeActivation>(graph.node(before)));
    op->parts = pool->kernel.x * pool->kernel.y;
    op->init = ops::StepInit::Given;  // it is that of the values it reads
    const graph::NodeId round = graph.add(std::move(op), graph.unique_name(graph.node(id).name + "_QAct"),
                                          {out, graph.node(before).inputs.at(1)}, graph.node(id).origin);
    const graph::ValueId rounded = graph.node(round).outputs.at(0);
    for (const graph::Use& use : uses) {
      const graph::Node& reader = graph.node(use.node);
      std::vector<graph::ValueId> inputs = reader.inputs;
      inputs[static_cast<size_t>(use.slot)] = rounded;
      graph.replace(use.node, reader.op->clone(), std::move(inputs));
    }
  }
}

}  // namespace n2d2::loader
