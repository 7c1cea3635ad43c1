#include <algorithm>
#include <cctype>
#include <set>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"

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

void refuse(const graph::Node& node, const std::string& reasons, Diagnostics& diagnostics) {
  if (node.op->type() == "Softmax")
    return diagnostics.error(
        node.origin, subject_of_error(node) + " inside the network has no integer kernel",
        "a Softmax that ends the network is dropped by itself, the class order does not change");
  diagnostics.error(node.origin, subject_of_error(node) + ": " + reasons);
}

/// Why the bytes of an NHWC map do not stay in place under the reshape; "" when they do.
std::string alias_problem(const graph::Graph& graph, const graph::Node& node,
                          const ExportParameters& parameters) {
  const Shape& in = graph.value(node.inputs[0]).type.shape;
  const Shape& out = graph.value(node.outputs[0]).type.shape;
  const bool flat = in.h() * in.w() == 1 || in.c() == 1;
  const bool flat_out = out.h() * out.w() == 1 || out.c() == 1;
  if (in.c() != out.c() && !(flat && flat_out))
    return fmt::format("{} to {} would move bytes of an H,W,C map", in.text(), out.text());
  if (in.c() != out.c() && parameters.memory_alignment > 1)
    return "MemoryAlignment greater than 1 would leave gaps between the values";
  return {};
}

std::vector<PlannedNode> choose(const graph::Graph& graph, const ExportParameters& parameters) {
  Diagnostics diagnostics;
  std::vector<PlannedNode> out;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    std::string reasons;
    const ImplSpec* kernel = nullptr;
    if (is_alias(node))
      reasons = alias_problem(graph, node, parameters);
    else
      kernel = cpp_library().choose(graph, node, reasons);
    if (kernel == nullptr && !reasons.empty()) refuse(node, reasons, diagnostics);
    out.push_back({id, kernel});
  }
  diagnostics.finish<ExportError>();
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// Identifiers of cells: unique also in upper case (macros are named after them), no C++ keyword, and not the
/// name of something else in the generated files.
class Identifiers {
 public:
  std::string of(const std::string& name) {
    static const std::set<std::string> kReserved{
        "ASM",   "AUTO",     "BOOL",    "BREAK",   "CASE",      "CATCH",    "CHAR",     "CLASS",
        "CONST", "CONTINUE", "DEFAULT", "DELETE",  "DO",        "DOUBLE",   "ELSE",     "ENUM",
        "ENV",   "EXPLICIT", "EXPORT",  "EXTERN",  "FALSE",     "FLOAT",    "FOR",      "FRIEND",
        "GOTO",  "IF",       "INLINE",  "INPUTS",  "INT",       "LONG",     "MEMORY",   "MUTABLE",
        "NEW",   "OPERATOR", "OUTPUTS", "PRIVATE", "PROTECTED", "PUBLIC",   "REGISTER", "RETURN",
        "SHORT", "SIGNED",   "SIZEOF",  "STATIC",  "STRUCT",    "SWITCH",   "TEMPLATE", "THIS",
        "THROW", "TRUE",     "TRY",     "TYPEDEF", "UNION",     "UNSIGNED", "USING",    "VIRTUAL",
        "VOID",  "VOLATILE", "WHILE"};
    const std::string base = c_identifier(name);
    std::string candidate = kReserved.contains(upper_case(base)) ? base + "_cell" : base;
    for (int i = 2; !taken_.insert(upper_case(candidate)).second; ++i)
      candidate = fmt::format("{}_{}", base, i);
    return candidate;
  }

 private:
  std::set<std::string> taken_;
};

std::vector<graph::ValueId> activations_of(const graph::Graph& graph, const graph::Node& node) {
  std::vector<graph::ValueId> out;
  for (const graph::ValueId input : node.inputs)
    if (!graph.value(input).is_constant()) out.push_back(input);
  return out;
}

}  // namespace

PlannedNetwork plan_network(graph::Graph graph, std::vector<ProjectTarget> targets, const Options& options) {
  PlannedNetwork network;
  network.graph = std::move(graph);
  network.targets = std::move(targets);
  network.options = options;
  const auto nodes = choose(network.graph, options.parameters);
  network.memory = plan_memory(network.graph, nodes, network.targets, options.parameters);
  int64_t total = 0;
  for (const PlannedNode& planned : nodes) total += macs_of(network.graph, network.graph.node(planned.node));
  Identifiers identifiers;
  for (const PlannedNode& planned : nodes) {
    const graph::Node& node = network.graph.node(planned.node);
    Cell cell{planned.node,
              node.name,
              identifiers.of(node.name),
              {},
              activations_of(network.graph, node),
              node.outputs.at(0),
              planned.kernel == nullptr};
    if (planned.kernel != nullptr) {
      NodeView view{network.graph, node, {}, network.memory.plane(network.graph, cell.output), false};
      for (const graph::ValueId input : cell.inputs)
        view.inputs.push_back(network.memory.plane(network.graph, input));
      view.parallel = total >= kParallelNetworkMacs && macs_of(network.graph, node) >= kParallelLayerMacs;
      cell.code = planned.kernel->make(view);
    }
    network.cells.push_back(std::move(cell));
  }
  return network;
}

Place place_of(const PlannedNetwork& network, graph::ValueId value) {
  graph::ValueId id = value;
  while (!network.memory.has(id) && id != network.input())
    id = network.graph.node(network.graph.value(id).producer).inputs.at(0);
  if (!network.memory.has(id)) return {true, 0};
  return {false, network.memory.offset(id)};
}

}  // namespace n2d2::exporter
