#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/delegates/partition.hpp"

namespace n2d2::delegates {

std::vector<NodeSet> regions_of_layers(const graph::Graph& graph, std::span<const NodeSet> taken,
                                       std::string_view delegate, const std::vector<std::string>& layers,
                                       const std::function<std::string(const graph::Node&)>& refuses) {
  Diagnostics findings;
  for (const std::string& layer : layers)
    if (!graph.find_node(layer))
      findings.error({}, fmt::format("Backend.{}.Layers: there is no layer '{}'", delegate, layer),
                     "layers that are fused into another one go with that one");
  findings.finish<ExportError>();
  std::vector<NodeSet> regions = grow_regions(graph, taken, [&](const graph::Node& node) {
    const bool is_named = std::find(layers.begin(), layers.end(), node.name) != layers.end();
    if (!layers.empty() && !is_named) return false;
    const std::string reason = refuses(node);
    if (is_named && !reason.empty())
      log::notice("delegate '{}' leaves {} to the target: {}", delegate, graph::subject(node), reason);
    return reason.empty();
  });
  if (regions.empty()) log::notice("delegate '{}' takes no layer", delegate);
  return regions;
}

}  // namespace n2d2::delegates
