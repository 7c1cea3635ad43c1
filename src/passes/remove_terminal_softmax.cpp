#include "n2d2/base/log.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/softmax.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// Layers behind a Softmax that say the same of the values it reads: they come into a shape, or are rounded.
bool ends_with(const graph::Node& node) {
  return graph::as<ops::Reshape>(node) != nullptr || graph::as<ops::FakeQuantize>(node) != nullptr;
}

/// Whether the value only leaves the graph, directly or through reshapes and roundings that nothing else
/// reads.
bool ends_network(const graph::Graph& graph, graph::ValueId id) {
  bool leaves = graph.is_output(id);
  for (const graph::Use& use : graph.value(id).uses) {
    const graph::Node& user = graph.node(use.node);
    if (!ends_with(user) || !ends_network(graph, user.outputs.at(0))) return false;
    leaves = true;
  }
  return leaves;
}

/// The grid of probabilities is none for scores.
void remove_roundings(graph::Graph& graph, graph::ValueId id) {
  const std::vector<graph::Use> uses = graph.value(id).uses;
  for (const graph::Use& use : uses) {
    remove_roundings(graph, graph.node(use.node).outputs.at(0));
    if (graph::as<ops::FakeQuantize>(graph.node(use.node))) graph.bypass(use.node);
  }
}

bool is_softmax(const graph::Node& node) {
  return graph::as<ops::Softmax>(node) != nullptr || graph::as<ops::LogSoftmax>(node) != nullptr;
}

/// A Softmax that ends the network, or its logarithm, does not change the order of the classes, so an export
/// goes without it and the outputs are the values it would have read.
class RemoveTerminalSoftmax final : public Pass {
 public:
  std::string_view name() const override { return "remove_terminal_softmax"; }
  std::string_view summary() const override {
    return "drops a Softmax or LogSoftmax that ends the network; classes keep their order";
  }
  bool keeps_values() const override { return false; }
  int run(graph::Graph& graph, const PassContext& context) const override {
    int rewrites = 0;
    std::vector<graph::NodeId> found;
    for (const graph::NodeId id : graph.nodes())
      if (is_softmax(graph.node(id))) found.push_back(id);
    for (const graph::NodeId id : found) {
      const graph::Node& node = graph.node(id);
      // Where its scores are an output, too, both are asked for, and one value would be written twice.
      if (node.clamp || graph.is_output(node.inputs.at(0)) || !ends_network(graph, node.outputs.at(0)))
        continue;
      if (context.data_is_target)
        throw ModelError(subject(node) +
                             " ends the network and is compared with the input (DataAsTarget): it cannot "
                             "be left out",
                         node.origin, "end the network with the layer before it");
      remove_roundings(graph, node.outputs.at(0));
      log::notice("{} ends the network and is left out; the outputs are those of '{}', the class order stays",
                  subject(node), graph.value(node.inputs.at(0)).name);
      graph.bypass(id);
      ++rewrites;
    }
    return rewrites;
  }
};

}  // namespace

void register_remove_terminal_softmax(PassRegistry& registry);
void register_remove_terminal_softmax(PassRegistry& registry) {
  register_pass<RemoveTerminalSoftmax>(registry);
}

}  // namespace n2d2::passes
