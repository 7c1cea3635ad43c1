#include "asked_widths.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/integer_form.hpp"
#include "n2d2/quantize/value_widths.hpp"

namespace n2d2::pipeline {

namespace {

void say_idle(const std::string& layer, std::string_view key, std::string_view why) {
  log::notice("[{}] {}: without effect, {}", layer, key, why);
}

}  // namespace

AskedWidths::AskedWidths(const graph::Graph& graph, const Request& request, const targets::Export& target)
    : hosts_(graph) {
  Diagnostics findings;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    Asked asked{target.widths_of(node.name), false, target.place_of_widths(node.name)};
    if (const auto found = request.widths.find(node.name); found != request.widths.end()) {
      asked.is_from_file = true;
      if (!asked.place) asked.place = node.origin;
      if (asked.widths.weights == 0) asked.widths.weights = found->second.weights;
      if (asked.widths.activations == 0) asked.widths.activations = found->second.activations;
    }
    if (asked.widths == LayerWidths{}) continue;
    const int most = std::max(asked.widths.weights, asked.widths.activations);
    if (target.request().is_integer() && !target.takes_mixed_widths() && most > request.quantize.bits)
      findings.error(node.origin,
                     fmt::format("[{}]: expected at most the {} bits of the export, got {}", node.name,
                                 request.quantize.bits, most),
                     "-nbbits 16 holds all of them in 16 bits");
    asked_[node.name] = asked;
  }
  findings.finish<ConfigError>();
}

Widths AskedWidths::of(const graph::Graph& graph, const LayerWidths& others) const {
  std::map<std::string, graph::NodeId> left;
  for (const graph::NodeId id : graph.nodes()) left[graph.node(id).name] = id;
  Widths out{others, {}};
  for (const auto& [layer, host] : hosts_.in(graph)) {
    const auto found = asked_.find(layer);
    if (found == asked_.end()) continue;
    const auto& [widths, is_from_file, place] = found->second;
    const bool is_left = !host.empty();
    const graph::IntegerForm form =
        is_left ? graph::integer_form(graph, graph.node(left.at(host))) : graph::IntegerForm{};
    const bool has_weights = form.weighted && host == layer;
    const bool makes_values = form.scale == graph::ScaleOf::Own;
    if (has_weights && widths.weights > 0) out.layers[host].weights = widths.weights;
    if (makes_values && widths.activations > 0) out.layers[host].activations = widths.activations;
    if (!is_from_file) continue;
    if (!has_weights && widths.weights > 0 && widths.activations == 0)
      say_idle(layer, "WeightNbBits", "the layer has no weights");
    if (!makes_values && widths.activations > 0)
      say_idle(layer, "ActivationNbBits",
               is_left ? "its integers are those of the layer before" : "the layer is left out");
  }
  return out;
}

void AskedWidths::check(const graph::Graph& graph, const quantize::Options& options) const {
  std::map<std::string, SourceLocation, std::less<>> places;
  for (const auto& [layer, host] : hosts_.in(graph))
    if (const auto found = asked_.find(layer); found != asked_.end() && found->second.place)
      places.emplace(host, *found->second.place);
  const auto place = [&](const graph::Node& node) {
    const auto found = places.find(node.name);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  };
  Diagnostics findings;
  quantize::refuse_widths(graph, options.widths, options.bits, place, findings);
  findings.finish<ConfigError>();
}

}  // namespace n2d2::pipeline
