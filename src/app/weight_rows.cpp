#include "weight_rows.hpp"

#include <algorithm>
#include <map>

#include "n2d2/base/text.hpp"

namespace n2d2::app {

namespace {

/// "'conv1', 'fc'", or "7 layers".
std::string layers_text(const std::vector<std::string>& names) {
  constexpr size_t kMostNamed = 3;
  if (names.size() > kMostNamed) return fmt::format("{} layers", names.size());
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back("'" + presentable(name) + "'");
  return join(quoted, ", ");
}

std::string zeros_text(int64_t zeros, int64_t weights) {
  return fmt::format("{} of {} weights are 0", with_thousands(zeros), with_thousands(weights));
}

}  // namespace

std::vector<PrunedLayer> pruned_layers(const loader::Network& net) {
  std::vector<PrunedLayer> out;
  for (const loader::Parameter& parameter : net.parameters) {
    if (!parameter.quantizer || parameter.quantizer->type() != "Prune") continue;
    const graph::Value& weights = net.graph.value(parameter.constant);
    const std::span<const float> values = weights.constant->span<float>();
    out.push_back({net.graph.node(weights.uses.at(0).node).name,
                   std::count(values.begin(), values.end(), 0.0F), static_cast<int64_t>(values.size())});
  }
  return out;
}

void note_pruned(quantize::QuantReport& report, std::span<const PrunedLayer> pruned) {
  for (const PrunedLayer& layer : pruned)
    for (quantize::LayerReport& of_layer : report.layers)
      if (of_layer.name == layer.name)
        of_layer.notes.push_back("pruned: " + zeros_text(layer.zeros, layer.weights));
}

std::vector<std::pair<std::string, std::string>> weight_rows(const quantize::QuantReport& report,
                                                             std::span<const PrunedLayer> pruned) {
  std::vector<std::pair<std::string, std::string>> rows;
  std::map<int, std::vector<std::string>> layers_of;
  for (const quantize::LayerReport& layer : report.layers)
    if (layer.weight_bits > 0) layers_of[layer.weight_bits].push_back(layer.name);
  if (!layers_of.empty() && layers_of.begin()->first < report.options.bits) {
    std::vector<std::string> parts;
    for (const auto& [bits, layers] : layers_of)
      parts.push_back(fmt::format("{} in {}", bits, layers_text(layers)));
    rows.emplace_back("bits of weights", join(parts, "; "));
  }
  int64_t zeros = 0, weights = 0;
  std::vector<std::string> layers;
  for (const PrunedLayer& layer : pruned) {
    zeros += layer.zeros;
    weights += layer.weights;
    layers.push_back(layer.name);
  }
  if (weights > 0)
    rows.emplace_back("pruned weights",
                      fmt::format("{} in {}", zeros_text(zeros, weights), layers_text(layers)));
  return rows;
}

}  // namespace n2d2::app
