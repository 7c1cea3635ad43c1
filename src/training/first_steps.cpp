#include "n2d2/training/first_steps.hpp"

#include "n2d2/ops/quantize_activation.hpp"

namespace n2d2::training {

namespace {

std::vector<graph::NodeId> without_step(const graph::Graph& graph) {
  std::vector<graph::NodeId> out;
  for (const graph::NodeId id : graph.nodes()) {
    const graph::Node& node = graph.node(id);
    if (graph::as<ops::QuantizeActivation>(node) == nullptr) continue;
    const graph::Value& learnt = graph.value(node.inputs.at(1));
    if (learnt.is_constant() && learnt.constant->data<float>()[0] == 0) out.push_back(id);
  }
  return out;
}

}  // namespace

bool lacks_first_steps(const graph::Graph& graph) {
  return !without_step(graph).empty();
}

void measure_first_steps(graph::Graph& graph, const Tensor& batch, uint64_t step, compute::Backend backend,
                         uint64_t seed) {
  const std::vector<graph::NodeId> measured = without_step(graph);
  graph::Graph copy = graph;
  for (const graph::NodeId id : measured) {
    auto op = std::make_unique<ops::QuantizeActivation>(*graph::as<ops::QuantizeActivation>(copy.node(id)));
    op->measures = true;
    const std::vector<graph::ValueId> inputs = copy.node(id).inputs;
    copy.replace(id, std::move(op), inputs);
  }
  compute::Executor executor(copy, {.backend = backend, .training = true, .seed = seed});
  executor.forward(batch, step);
  executor.absorb(copy);
  for (const graph::NodeId id : measured) {
    const graph::ValueId learnt = graph.node(id).inputs.at(1);
    graph.mutable_constant(learnt) = *copy.value(learnt).constant;
  }
}

}  // namespace n2d2::training
