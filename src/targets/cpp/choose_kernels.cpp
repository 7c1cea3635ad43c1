#include <algorithm>
#include <map>

#include "n2d2/export/identifiers.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

#include "planned_network.hpp"

namespace n2d2::targets::cpp {

namespace {

std::string subject_of_error(const graph::Node& node) {
  return fmt::format("export CPP: [{}] {}", node.name, node.op->type());
}

/// What helps where a type of layer has no kernel at all.
const char* hint_for(std::string_view type) {
  if (type == "Transpose")
    return "put channels first where the file is made, or end the network before it (Ignore of an ONNX "
           "section)";
  const std::vector<std::string> known = kernels().operators();
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

/// In the order of the graph: a plan changes no name.
void name_cells(program::Program& program) {
  const std::vector<graph::NodeId> nodes = program.graph.schedule();
  std::vector<std::string> names;
  for (const graph::NodeId id : nodes) names.push_back(program.graph.node(id).name);
  const std::vector<std::string> unique = exporter::identifiers(names);
  std::map<graph::NodeId, std::string> identifier_of;
  for (size_t i = 0; i < nodes.size(); ++i) identifier_of[nodes[i]] = unique[i];
  for (program::Cell& cell : program.cells) cell.identifier = identifier_of.at(cell.node);
}

}  // namespace

bool find_without_kernel(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) {
  std::string reasons;
  if (kernels().choose(graph, node, reasons) != nullptr) return false;
  refuse(node, reasons, findings);
  return true;
}

program::MemorySettings memory_settings(const Parameters& parameters) {
  program::MemorySettings out;
  out.input_in_arena = parameters.include_input_in_buffer;
  out.overlap = parameters.optimize_buffer_memory;
  out.lanes = parameters.optimize_no_branch_concat;
  out.alignment = parameters.memory_alignment;
  out.counts_bytes = parameters.memory_alignment_unit == AlignmentUnit::Byte;
  out.strategy = parameters.memory_manager_strategy;
  out.search_nodes = parameters.memory_search_nodes;
  out.safe_margin = parameters.safe_margin;
  for (const MemoryParameters& m : parameters.memories)
    out.memories.push_back({m.name, m.size, m.alignment, 0, 0});
  out.no_overlap = [parameters](std::string_view cell) { return parameters.no_wrap(cell); };
  out.memories_of = [parameters](std::string_view cell) {
    std::vector<memory::MemoryId> ids;
    for (const std::string& name : parameters.memories_of(cell))
      for (size_t m = 0; m < parameters.memories.size(); ++m)
        if (parameters.memories[m].name == name) ids.push_back(static_cast<memory::MemoryId>(m));
    return ids;
  };
  return out;
}

PlannedNetwork plan_network(graph::Graph graph, std::vector<Output> targets, const Options& options) {
  Diagnostics findings;
  const program::Lowering lowering(
      std::move(graph), std::move(targets), kernels(),
      [&](const graph::Node& node, const std::string& reasons) { refuse(node, reasons, findings); });
  findings.finish<ExportError>();
  PlannedNetwork network{program::plan(lowering, memory_settings(options.parameters), "export CPP"), options};
  name_cells(network.planned.program);
  return network;
}

}  // namespace n2d2::targets::cpp
