#include <algorithm>
#include <map>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/nonlinearity.hpp"

#include "identifiers.hpp"
#include "planned_network.hpp"

namespace n2d2::exporter {

namespace {

/// Threads pay only in layers of some 10 microseconds, and in networks of about a millisecond.
constexpr int64_t kParallelLayerMacs = 3'000'000, kParallelNetworkMacs = 50'000'000;

int64_t macs_of(const graph::Graph& graph, const graph::Node& node) {
  if (graph::as<ops::Conv>(node) == nullptr && graph::as<ops::Fc>(node) == nullptr) return 0;
  const Shape& out = graph.value(node.outputs[0]).type.shape;
  const Shape& weights = graph.value(node.inputs[1]).type.shape;
  return out.h() * out.w() * weights.elements();
}

std::string subject_of_error(const graph::Node& node) {
  return fmt::format("export CPP: [{}] {}", node.name, node.op->type());
}

/// What helps where a type of layer has no kernel at all.
const char* hint_for(std::string_view type) {
  if (type == "Transpose")
    return "put channels first where the file is made, or end the network before it (Ignore of an ONNX "
           "section)";
  const std::vector<std::string> known = cpp_library().operators();
  if (std::find(known.begin(), known.end(), type) != known.end()) return "";
  return "'-export ONNX -nbbits -32' has it; a program needs the network to end before";
}

void refuse(const graph::Node& node, const std::string& reasons, Diagnostics& diagnostics) {
  if (node.op->type() == "Softmax")
    return diagnostics.error(
        node.origin, subject_of_error(node) + " inside the network has no integer kernel",
        "a Softmax that ends the network is dropped by itself, the class order does not change");
  if (const auto* function = graph::as<ops::Nonlinearity>(node))
    return diagnostics.error(
        node.origin, fmt::format("{}: {} has no kernel", subject_of_error(node), function->function_name()),
        "only Rectifier and Saturation have one");
  diagnostics.error(node.origin, subject_of_error(node) + ": " + reasons, hint_for(node.op->type()));
}

/// Null when it is refused.
const ImplSpec* kernel_of(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) {
  std::string reasons;
  const ImplSpec* kernel = cpp_library().choose(graph, node, reasons);
  if (kernel == nullptr) refuse(node, reasons, findings);
  return kernel;
}

std::vector<PlannedNode> choose(const graph::Graph& graph) {
  Diagnostics diagnostics;
  std::vector<PlannedNode> out;
  int64_t total = 0;
  for (const graph::NodeId id : graph.schedule()) total += macs_of(graph, graph.node(id));
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    const ImplSpec* kernel = kernel_of(graph, node, diagnostics);
    out.push_back({id, kernel, total >= kParallelNetworkMacs && macs_of(graph, node) >= kParallelLayerMacs});
  }
  diagnostics.finish<ExportError>();
  return out;
}

std::vector<graph::ValueId> activations_of(const graph::Graph& graph, const graph::Node& node) {
  std::vector<graph::ValueId> out;
  for (const graph::ValueId input : node.inputs)
    if (!graph.value(input).is_constant()) out.push_back(input);
  return out;
}

}  // namespace

namespace {

Cell cell_of(const PlannedNetwork& network, const PlannedNode& planned, std::string identifier) {
  const graph::Node& node = network.graph.node(planned.node);
  Cell cell{planned.node,       node.name, std::move(identifier), {}, activations_of(network.graph, node),
            node.outputs.at(0), {}};
  NodeView view{network.graph,   node, {}, network.memory.plane(network.graph, cell.output), {},
                planned.parallel};
  for (const graph::ValueId input : cell.inputs)
    view.inputs.push_back(network.memory.plane(network.graph, input));
  for (const PlannedStep& call : network.memory.steps_of.at(planned.node)) {
    cell.steps.push_back(call.step);
    view.calls.push_back({call.slot, network.memory.plan.scan_of_step.at(static_cast<size_t>(call.step))});
  }
  cell.code = planned.kernel->make(view);
  N2D2_CHECK(cell.code.calls.size() == cell.steps.size(), "'{}' has {} calls in {} steps", cell.name,
             cell.code.calls.size(), cell.steps.size());
  return cell;
}

void make_cells(PlannedNetwork& network) {
  // In the order of the graph: a plan changes no name.
  const std::vector<graph::NodeId> nodes = network.graph.schedule();
  std::vector<std::string> names;
  for (const graph::NodeId id : nodes) names.push_back(network.graph.node(id).name);
  const std::vector<std::string> unique = identifiers(names);
  std::map<graph::NodeId, std::string> identifier_of;
  for (size_t i = 0; i < nodes.size(); ++i) identifier_of[nodes[i]] = unique[i];
  for (const PlannedNode& planned : network.nodes)
    network.cells.push_back(cell_of(network, planned, identifier_of.at(planned.node)));
}

}  // namespace

bool find_without_kernel(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) {
  return kernel_of(graph, node, findings) == nullptr;
}

PlannedNetwork plan_network(graph::Graph graph, std::vector<ProjectTarget> targets, const Options& options) {
  PlannedNetwork network;
  network.graph = std::move(graph);
  network.targets = std::move(targets);
  network.options = options;
  network.nodes =
      in_order_of_memory(network.graph, choose(network.graph), network.targets, options.parameters);
  network.memory = plan_memory(network.graph, network.nodes, network.targets, options.parameters);
  make_cells(network);
  return network;
}

PlannedNetwork with_memory(const PlannedNetwork& network, const MemoryMap& map) {
  expect_valid(map);
  PlannedNetwork out{network.graph, network.targets, network.options, network.nodes, map, {}};
  make_cells(out);
  return out;
}

}  // namespace n2d2::exporter
