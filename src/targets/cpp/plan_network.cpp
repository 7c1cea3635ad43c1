#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "n2d2/export/identifiers.hpp"
#include "n2d2/ops/part.hpp"
#include "n2d2/program/loop_nest.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

#include "choose/choose_forms.hpp"
#include "planned_network.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Budgets of -memory-curve.
constexpr int kCurveSteps = 12;

std::string subject_of_error(const graph::Node& node, const Platform& platform) {
  return fmt::format("{}: [{}] {}", platform.subject(), node.name, node.op->type());
}

/// What helps where a type of layer has no kernel at all: what the layer itself knows when its graph is
/// there, or another export.
std::string hint_for(const graph::Graph* graph, const graph::Node& node, const Platform& platform) {
  const std::string type(node.op->type());
  const std::vector<std::string> known = platform.library().operators();
  if (std::find(known.begin(), known.end(), type) != known.end()) return "";
  if (graph != nullptr)
    for (const graph::Reason& reason : graph::integer_form(*graph, node).why_not)
      if (!reason.hint.empty()) return reason.hint;
  return "'-export ONNX -nbbits -32' has it; a program needs the network to end before";
}

void refuse(const graph::Graph* graph, const graph::Node& node, const Platform& platform,
            const std::string& reasons, Diagnostics& diagnostics) {
  diagnostics.error(node.origin, subject_of_error(node, platform) + ": " + reasons,
                    hint_for(graph, node, platform));
}

/// "conv1", or "conv1_1" for another output than the first.
std::string output_name(const graph::Node& node, size_t output) {
  return output == 0 ? node.name : fmt::format("{}_{}", node.name, output);
}

/// What the outputs of a node are called: after their layer, inside a part too.
std::vector<std::string> output_names(const graph::Node& node) {
  std::vector<std::string> out;
  const auto* part = graph::as<ops::Part>(node);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (part == nullptr) {
      out.push_back(output_name(node, i));
      continue;
    }
    const graph::ValueId value = part->graph.outputs().at(i);
    const graph::Node& layer = part->graph.node(part->graph.value(value).producer);
    const auto at = std::find(layer.outputs.begin(), layer.outputs.end(), value);
    out.push_back(output_name(layer, static_cast<size_t>(at - layer.outputs.begin())));
  }
  return out;
}

/// In the order of the graph: a plan changes no name. Layers of parts are named, too, whether they are
/// outputs or not.
void name_cells(PlannedNetwork& network) {
  program::Program& program = network.planned.program;
  std::vector<std::string> names;
  std::set<std::string> known;
  const auto add = [&](const std::string& name) {
    if (known.insert(name).second) names.push_back(name);
  };
  for (const graph::NodeId id : program.graph.schedule()) add(program.graph.node(id).name);
  for (const graph::NodeId id : program.graph.schedule()) {
    const graph::Node& node = program.graph.node(id);
    for (const std::string& name : output_names(node)) add(name);
    if (const auto* part = graph::as<ops::Part>(node))
      for (const graph::NodeId layer : part->graph.schedule()) add(part->graph.node(layer).name);
  }
  const std::vector<std::string> unique = exporter::identifiers(names);
  for (size_t i = 0; i < names.size(); ++i) network.identifiers[names[i]] = unique[i];
  for (program::Cell& cell : program.cells) {
    const graph::Node& node = program.graph.node(cell.node);
    cell.identifier = network.identifiers.at(node.name);
    for (const std::string& name : output_names(node))
      cell.output_identifiers.push_back(network.identifiers.at(name));
  }
}

/// Layers that delegates compute.
std::set<std::string> layers_of_parts(const graph::Graph& graph) {
  std::set<std::string> out;
  for (const graph::NodeId id : graph.nodes())
    if (const auto* part = graph::as<ops::Part>(graph.node(id)))
      for (const graph::NodeId layer : part->graph.nodes()) out.insert(part->graph.node(layer).name);
  return out;
}

}  // namespace

bool find_without_kernel(const graph::Graph& graph, const graph::Node& node, const Platform& platform,
                         Diagnostics& findings) {
  std::string reasons;
  if (platform.library().choose(graph, node, reasons) != nullptr) return false;
  refuse(&graph, node, platform, reasons, findings);
  return true;
}

namespace {

/// Channels of the slices of a loop nest that computes nothing twice, and of one that does: fewer take fewer
/// bytes and longer.
constexpr int kChannels = 16;
constexpr std::array kChannelsWithMore{16, 8, 4};

/// Whether a section says what computes the layer, or in how many slices: a loop nest cannot do that.
bool is_asked_for(const Parameters& parameters, const graph::Node& node) {
  return parameters.form_section(node.name) != nullptr || parameters.tiles_section(node.name) != nullptr;
}

/// A chain of layers, none of which has a section, with what its loop nest does again.
struct Candidate {
  program::Chain layers;
  int64_t macs_again = 0;
};
std::vector<Candidate> candidates_of(const program::Program& program, const Parameters& parameters) {
  std::vector<Candidate> out;
  for (program::Chain& layers : program::chains_of(program)) {
    const bool is_free = std::none_of(layers.begin(), layers.end(), [&](graph::NodeId node) {
      return is_asked_for(parameters, program.graph.node(node));
    });
    const int64_t again = program::macs_again(program, layers);
    if (is_free) out.push_back({std::move(layers), again});
  }
  return out;
}

/// The first way has averages that add rows up. Where there is a budget, the second one has loop nests that
/// compute nothing twice, too; those behind it have more and more others from the first layer on. The most
/// expensive ones come first, so that they are the first to be left out.
std::vector<program::Peephole> ways_to_stream(const program::Program& program, const Parameters& parameters,
                                              const program::KernelLibrary& library) {
  const program::Peephole sums{{program::running_sums(library)}, {}};
  std::vector<program::Peephole> out{sums};
  if (!parameters.memory_budget.is_limited()) return out;
  std::vector<Candidate> with_more = candidates_of(program, parameters), once;
  const auto first_once = std::stable_partition(with_more.begin(), with_more.end(),
                                                [](const Candidate& each) { return each.macs_again > 0; });
  once.assign(first_once, with_more.end());
  with_more.erase(first_once, with_more.end());
  const auto add = [&library](const std::vector<Candidate>& candidates, int channels,
                              program::Peephole& way) {
    for (const Candidate& each : candidates)
      way.combiners.push_back(program::loop_nest(each.layers, channels, library));
  };
  if (!once.empty()) add(once, kChannels, out.emplace_back(sums));
  for (size_t count = 1, last = 0; last < with_more.size(); count += (count + 1) / 2) {
    last = std::min(count, with_more.size());
    std::vector<Candidate> some(with_more.begin(), with_more.begin() + static_cast<std::ptrdiff_t>(last));
    std::stable_sort(some.begin(), some.end(),
                     [](const Candidate& a, const Candidate& b) { return a.macs_again > b.macs_again; });
    for (const int channels : kChannelsWithMore) {
      program::Peephole& way = out.emplace_back(sums);
      add(some, channels, way);
      add(once, kChannels, way);
    }
  }
  return out;
}

}  // namespace

program::MemorySettings memory_settings(const Parameters& parameters, const program::KernelLibrary& library) {
  program::MemorySettings out;
  out.input_in_arena = parameters.include_input_in_buffer;
  out.stream_input = parameters.stream_input;
  out.overlap = parameters.optimize_buffer_memory;
  out.lanes = parameters.optimize_no_branch_concat;
  out.alignment = parameters.memory_alignment;
  out.counts_bytes = parameters.memory_alignment_unit == AlignmentUnit::Byte;
  out.strategy = parameters.memory_manager_strategy;
  out.search_nodes = parameters.memory_search_nodes;
  out.budget = parameters.memory_budget;
  out.for_streams = [parameters, &library](const program::Program& program) {
    return ways_to_stream(program, parameters, library);
  };
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
  out.tiles_of = [parameters](std::string_view cell) {
    const LayerSection* section = parameters.tiles_section(cell);
    return section == nullptr ? program::Tiling{}
                              : program::Tiling{*section->values.tiles, section->tiles_at};
  };
  return out;
}

namespace {

/// Peak of all memories.
memory::Bytes peak_of(const program::Planned& planned) {
  memory::Bytes out = 0;
  for (const program::Memory& memory : planned.program.memories) out += memory.peak;
  return out;
}

/// Chooses kernels of the library, and plans the program of them.
void plan_with(const program::KernelLibrary& library, graph::Graph graph, std::vector<Output> targets,
               PlannedNetwork& network) {
  const Options& options = network.options;
  const Platform& platform = options.platform;
  Diagnostics findings;
  ChosenForms forms = choose_forms(graph, library, options, findings);
  network.why = std::move(forms.why);
  network.portable = std::move(forms.portable);
  const program::Lowering lowering(
      std::move(graph), std::move(targets), library,
      [&](const graph::Node& node, const std::string& reasons) {
        refuse(nullptr, node, platform, reasons, findings);
      },
      forms.asked);
  findings.finish<ExportError>();
  network.planned = program::plan(lowering, memory_settings(options.parameters, library), platform.subject());
  if (options.memory_curve) {
    Parameters least = options.parameters;
    least.memory_budget = MemoryBudget::least();
    network.curve =
        program::budget_curve(lowering, memory_settings(least, library), kCurveSteps, platform.subject());
  }
}

/// Plans the program of the platform's kernels. Where the memory is short, their scratch may be too much:
/// then the program is of the kernels of CPP, which have none, if these fit or take less.
void plan_within(graph::Graph graph, std::vector<Output> targets, PlannedNetwork& network) {
  const Options& options = network.options;
  const bool may_be_short =
      options.parameters.memory_budget.is_limited() || !options.parameters.memories.empty();
  if (options.platform.kernels == nullptr || !may_be_short)
    return plan_with(options.platform.library(), std::move(graph), std::move(targets), network);
  std::optional<PlannedNetwork> own;
  try {
    own = network;
    plan_with(options.platform.library(), graph, targets, *own);
  } catch (const ExportError&) {
    own.reset();
  }
  const bool is_enough = own && options.parameters.memory_budget.kind != MemoryBudget::Kind::Least;
  if (is_enough) {
    network = std::move(*own);
    return;
  }
  plan_with(kernels(), std::move(graph), std::move(targets), network);
  if (own && peak_of(own->planned) <= peak_of(network.planned)) {
    network = std::move(*own);
    return;
  }
  network.portable = {{"all layers", "their scratch does not fit the memory"}};
}

}  // namespace

PlannedNetwork plan_network(graph::Graph graph, std::vector<Output> targets, const Options& options) {
  PlannedNetwork network;
  network.options = options;
  const Platform& platform = options.platform;
  Diagnostics findings;
  if (options.parameters.delegates.empty()) {
    plan_within(std::move(graph), std::move(targets), network);
  } else {
    delegates::HandedOver handed = delegates::hand_over(graph, targets, options.parameters.delegates,
                                                        platform.library(), platform.subject());
    network.kernels = std::move(handed.kernels), network.parts = std::move(handed.parts);
    const std::set<std::string> layers = layers_of_parts(handed.graph);
    for (const LayerSection& section : options.parameters.layers)
      if (section.is_exact() && section.values.kernel.name && layers.contains(section.mask))
        findings.warn(
            section.kernel_at,
            fmt::format("{} Kernel: without effect, a delegate computes the layer", section.subject()));
    findings.finish<ExportError>();
    plan_with(*network.kernels, std::move(handed.graph), std::move(handed.outputs), network);
  }
  for (const program::Call& call : network.program().calls)
    if (call.is_loop_nest()) network.why[call.node] = "MemoryBudget";
  name_cells(network);
  return network;
}

}  // namespace n2d2::targets::cpp
