#include "asked_widths.hpp"

#include <algorithm>
#include <map>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/integer_form.hpp"
#include "n2d2/passes/pipelines.hpp"

namespace n2d2::pipeline {

namespace {

/// The layer that makes the first input that is no constant; "": an input of the network.
std::string layer_before(const graph::Graph& graph, const graph::Node& node) {
  for (const graph::ValueId input : node.inputs) {
    const graph::Value& value = graph.value(input);
    if (!value.is_constant()) return value.producer ? graph.node(value.producer).name : "";
  }
  return "";
}

void say_idle(const std::string& layer, std::string_view key, std::string_view why) {
  log::notice("[{}] {}: without effect, {}", layer, key, why);
}

}  // namespace

AskedWidths::AskedWidths(const graph::Graph& graph, const Request& request, const targets::Export& target) {
  Diagnostics findings;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    Layer layer{node.name, layer_before(graph, node), target.widths_of(node.name)};
    if (const auto found = request.widths.find(node.name); found != request.widths.end()) {
      layer.is_from_file = true;
      if (layer.widths.weights == 0) layer.widths.weights = found->second.weights;
      if (layer.widths.activations == 0) layer.widths.activations = found->second.activations;
    }
    const int most = std::max(layer.widths.weights, layer.widths.activations);
    if (target.request().is_integer() && most > request.quantize.bits)
      findings.error(node.origin,
                     fmt::format("[{}]: expected at most the {} bits of the export, got {}", node.name,
                                 request.quantize.bits, most),
                     "-nbbits 16 holds all of them in 16 bits");
    layers_.push_back(std::move(layer));
  }
  findings.finish<ConfigError>();
}

Widths AskedWidths::of(const graph::Graph& graph, const LayerWidths& others) const {
  std::map<std::string, graph::NodeId> left;
  for (const graph::NodeId id : graph.nodes()) left[graph.node(id).name] = id;
  std::map<std::string, std::string> host;
  Widths out{others, {}};
  for (const Layer& layer : layers_) {
    const std::string own = passes::own_layer_of(layer.name);
    const auto before = host.find(layer.before);
    std::string& name = host[layer.name];
    name = left.contains(layer.name) ? layer.name
           : left.contains(own)      ? own
           : before != host.end()    ? before->second
                                     : "";
    if (layer.widths == LayerWidths{}) continue;
    const bool is_left = !name.empty();
    const graph::IntegerForm form =
        is_left ? graph::integer_form(graph, graph.node(left.at(name))) : graph::IntegerForm{};
    const bool has_weights = form.weighted && name == layer.name;
    const bool makes_values = form.scale == graph::ScaleOf::Own;
    if (has_weights && layer.widths.weights > 0) out.layers[name].weights = layer.widths.weights;
    if (makes_values && layer.widths.activations > 0) out.layers[name].activations = layer.widths.activations;
    if (!layer.is_from_file) continue;
    if (!has_weights && layer.widths.weights > 0 && layer.widths.activations == 0)
      say_idle(layer.name, "WeightNbBits", "the layer has no weights");
    if (!makes_values && layer.widths.activations > 0)
      say_idle(layer.name, "ActivationNbBits",
               is_left ? "its integers are those of the layer before" : "the layer is left out");
  }
  return out;
}

}  // namespace n2d2::pipeline
