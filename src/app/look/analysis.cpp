#include "analysis.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "n2d2/loader/freeze.hpp"
#include "n2d2/ops/quantize_activation.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/program/constants.hpp"
#include "n2d2/quantize/check_integers.hpp"
#include "n2d2/quantize/given_scales.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/quantize/zero_points.hpp"

#include "export_network.hpp"
#include "export_steps.hpp"
#include "report_of_run.hpp"
#include "statistics.hpp"

namespace n2d2::app {

namespace {

/// As if each value had been measured to reach 1; histograms are not asked for.
quantize::Ranges made_up_ranges(const graph::Graph& graph) {
  quantize::Ranges ranges;
  ranges.samples = 1;
  for (const graph::ValueId id : graph.values()) {
    const graph::Value& value = graph.value(id);
    if (value.is_constant()) continue;
    const auto channels = static_cast<size_t>(value.type.shape.c());
    quantize::Statistics& statistics = ranges.values[id];
    statistics.min = -1, statistics.max = 1, statistics.count = 1;
    for (auto* sums : {&statistics.channel_sums, &statistics.channel_squares, &statistics.channel_peak_sums,
                       &statistics.channel_peak_squares})
      sums->assign(channels, 0);
    statistics.channel_peaks.assign(channels, 1);
  }
  return ranges;
}

/// Learnt quantizers as an export has them; a step that nothing has learnt yet is 1.
void freeze(loader::Network& net) {
  for (const graph::NodeId id : net.graph.nodes()) {
    const graph::Node& node = net.graph.node(id);
    if (graph::as<ops::QuantizeActivation>(node) == nullptr) continue;
    float& learnt = net.graph.mutable_constant(node.inputs.at(1)).span()[0];
    if (learnt == 0) learnt = 1;
  }
  const graph::Graph masters = net.graph;
  loader::freeze(net, masters, net.graph);
}

/// The program of the export; null when something is refused, which joins the findings.
class Exporting {
 public:
  Exporting(const targets::Export& target, const Options& options) : target_(target), options_(options) {}

  std::unique_ptr<const targets::Build> build(loader::Network& net) {
    try {
      return built(net);
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      refused.insert(refused.end(), error.findings().begin(), error.findings().end());
      return nullptr;
    }
  }

  std::vector<Diagnostic> refused;
  /// Nodes of the float form by name, and whether there are integers for them and the target takes them.
  struct Fate {
    bool has_integers = true, is_taken = true;
    std::string kernel;
  };
  std::map<std::string, Fate> fates;
  bool knows_bytes = true;  ///< what the bytes of pictures stand for, where that makes rows of biases

 private:
  std::unique_ptr<const targets::Build> built(loader::Network& net) {
    pipeline::Request request = pipeline_request(net, options_);
    request.quantize.activation_clipping = request.quantize.weight_clipping = "None";
    pipeline::Hooks hooks;
    hooks.reached = [this](pipeline::Form form, const graph::Graph& graph) {
      if (form == pipeline::Form::Scaled) judge(graph);
    };
    pipeline::Prepared prepared = pipeline::prepare(net.graph, request, target_, hooks);
    if (options_.is_integer() && !prepared.has_integers) {
      if (prepared.options.zero_points) {
        const PixelTable table = table_of_pictures(net);
        prepared.options.bytes = quantize::byte_grid(table);
        knows_bytes = table.reason.empty();
      }
      pipeline::quantize(net.graph, made_up_ranges(net.graph), prepared.options);
    }
    return pipeline::plan(net.graph, request, target_);
  }

  void judge(const graph::Graph& graph) {
    const program::KernelLibrary* kernels = (*targets::registry().find(options_.export_type))->kernels();
    for (const graph::NodeId id : graph.schedule()) {
      const graph::Node& node = graph.node(id);
      Diagnostics findings;
      Fate fate;
      fate.has_integers = !quantize::find_without_integers(graph, node, findings);
      fate.is_taken = !target_.refuses(graph, node, findings);
      std::string reasons;
      const program::Kernel* kernel = kernels == nullptr ? nullptr : kernels->choose(graph, node, reasons);
      if (kernel != nullptr) fate.kernel = kernel->name();
      fates.emplace(node.name, std::move(fate));
    }
  }

  const targets::Export& target_;
  const Options& options_;
};

/// The kernels that compute each node of the program; "no call" for one whose output is where it was.
std::map<std::string, std::string> kernels_of(const program::Program& program) {
  std::map<std::string, std::vector<std::string>> names;
  for (const graph::NodeId id : program.graph.nodes()) names[program.graph.node(id).name];
  for (const program::Call& call : program.calls) {
    if (call.is_source()) continue;
    std::vector<std::string>& of_node = names[program.node(call).name];
    const std::string name(call.kernel->name());
    if (std::find(of_node.begin(), of_node.end(), name) == of_node.end()) of_node.push_back(name);
  }
  std::map<std::string, std::string> out;
  for (const auto& [node, kernels] : names) out[node] = kernels.empty() ? "no call" : join(kernels, ", ");
  return out;
}

/// The nearest layer above that the export has still; for a Padding the nearest one below.
std::string host_of(const graph::Graph& graph, const graph::Node& node,
                    const std::map<std::string, Exporting::Fate>& kept) {
  const graph::Node* at = &node;
  const bool goes_down = node.op->type() == "Padding";
  for (size_t steps = graph.nodes().size(); steps-- > 0;) {
    const graph::Value& value = graph.value(goes_down ? at->outputs.at(0) : at->inputs.at(0));
    if (goes_down ? value.uses.empty() : !value.producer) return {};
    at = &graph.node(goes_down ? value.uses.front().node : value.producer);
    if (kept.contains(at->name)) return at->name;
  }
  return {};
}

/// Types that add nothing to what is computed once learning is over, or only order what stays in order.
bool is_left_out(std::string_view type) {
  return type == "Dropout" || type == "Softmax" || type == "Reshape";
}

void tell_fate(const graph::Graph& graph, const graph::Node& node, const Exporting& exporting,
               const std::map<std::string, std::string>& kernels, LayerAnalysis& layer) {
  if (const auto fate = exporting.fates.find(node.name); fate != exporting.fates.end()) {
    layer.has_integers = fate->second.has_integers;
    layer.is_exportable = fate->second.is_taken;
    const auto found = kernels.find(node.name);
    layer.becomes = !layer.is_exportable     ? "refused"
                    : found != kernels.end() ? found->second
                                             : fate->second.kernel;
    return;
  }
  if (exporting.fates.empty()) {  // the passes broke off: nothing is known of any layer
    layer.has_integers = layer.is_exportable = false;
    return;
  }
  if (const auto own = exporting.fates.find(passes::own_layer_of(node.name));
      own != exporting.fates.end() && node.op->type() == "BatchNorm") {
    const auto found = kernels.find(own->first);
    layer.becomes = found != kernels.end() ? found->second : own->second.kernel;
    return;
  }
  const std::string host = is_left_out(node.op->type()) ? "" : host_of(graph, node, exporting.fates);
  layer.becomes = host.empty() ? "left out" : fmt::format("in '{}'", host);
}

std::vector<LayerAnalysis> layers_of(const loader::Network& net) {
  std::map<graph::ValueId, bool> learns;
  for (const loader::Parameter& parameter : net.parameters)
    learns[parameter.constant] = parameter.solver != nullptr && !parameter.solver->is_frozen();
  std::vector<LayerAnalysis> out;
  for (const graph::NodeId id : net.graph.schedule()) {
    const graph::Node& node = net.graph.node(id);
    LayerAnalysis layer;
    layer.name = node.name, layer.type = node.op->type(), layer.where = node.origin;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const graph::Value& input = net.graph.value(node.inputs[slot]);
      if (!node.op->input_role(slot).empty() || input.is_constant()) {
        const auto found = learns.find(input.id);
        const bool is_learnt = graph::is_learnt(node.op->input_role(slot));
        if (is_learnt && layer.learns != Learns::Yes)
          layer.learns = found != learns.end() && found->second ? Learns::Yes : Learns::No;
        continue;
      }
      layer.parents.push_back(input.producer ? net.graph.node(input.producer).name : input.name);
      layer.inputs.push_back(input.type.shape);
    }
    layer.output = net.graph.value(node.outputs.at(0)).type.shape;
    layer.parameters = parameters_of(net.graph, node);
    layer.products = products_of(net.graph, node);
    for (const graph::ValueId output : node.outputs)
      layer.elements += net.graph.value(output).type.shape.elements();
    out.push_back(std::move(layer));
  }
  return out;
}

template <class Member>
int64_t sum(const std::vector<LayerAnalysis>& layers, Member member) {
  int64_t total = 0;
  for (const LayerAnalysis& layer : layers) total += layer.*member;
  return total;
}

}  // namespace

ExportSizes sizes_of(const program::Program& program) {
  ExportSizes out;
  for (const program::Memory& memory : program.memories)
    out.ram += memory.peak, out.lower_bound += memory.lower_bound;
  for (const program::Constant& constant : program.constants)
    (constant.is_bias ? out.other_constants : out.weights) += program::stored_bytes(constant);
  return out;
}

int64_t Analysis::parameters() const {
  return sum(layers, &LayerAnalysis::parameters);
}
int64_t Analysis::products() const {
  return sum(layers, &LayerAnalysis::products);
}
int64_t Analysis::elements() const {
  return sum(layers, &LayerAnalysis::elements);
}

PlannedExport plan_export(loader::Network& net, const targets::Export& target, const Options& options) {
  const graph::Graph before = net.graph;  // constants are shared
  Exporting exporting(target, options);
  PlannedExport out;
  if (const auto build = exporting.build(net); build != nullptr && build->program() != nullptr)
    out.sizes = sizes_of(*build->program());
  net.graph = before;
  out.refused = std::move(exporting.refused);
  return out;
}

Analysis analyse(loader::Network net, const targets::Export& target, const Options& options) {
  Analysis out;
  out.network = net.name;
  const graph::Value& input = net.graph.value(net.graph.inputs().at(0));
  out.input = input.name, out.input_shape = input.type.shape;
  out.layers = layers_of(net);
  out.export_type = options.export_type, out.bits = static_cast<int>(options.nb_bits);
  const graph::Graph as_built = net.graph;
  freeze(net);
  Exporting exporting(target, options);
  const std::unique_ptr<const targets::Build> build = exporting.build(net);
  std::map<std::string, std::string> kernels;
  add_layers(build != nullptr ? net.graph : as_built, out.report);
  if (build != nullptr) build->describe(out.report);
  if (build != nullptr && build->program() != nullptr) {
    out.sizes = sizes_of(*build->program());
    out.sizes->knows_bytes = exporting.knows_bytes;
    kernels = kernels_of(*build->program());
    out.footprint = build->footprint();
  }
  size_t i = 0;
  for (const graph::NodeId id : as_built.schedule())
    tell_fate(as_built, as_built.node(id), exporting, kernels, out.layers[i++]);
  if (out.footprint) {
    for (LayerAnalysis& layer : out.layers)
      for (const targets::LayerInstructions& counted : out.footprint->layers)
        if (counted.layer == layer.name)
          layer.instructions = counted.instructions, layer.is_rough = counted.is_rough;
  }
  out.refused = std::move(exporting.refused);
  return out;
}

}  // namespace n2d2::app
