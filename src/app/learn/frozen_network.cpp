#include "frozen_network.hpp"

#include <algorithm>
#include <map>

#include "n2d2/base/log.hpp"
#include "n2d2/loader/freeze.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/pipeline/hosts.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/quantize/given_scales.hpp"
#include "n2d2/quantize/zero_points.hpp"

#include "changed_parameters.hpp"
#include "export_network.hpp"
#include "export_steps.hpp"

namespace n2d2::app {

namespace {

Options options_of_integers(const graph::Graph& graph, Options o) {
  o.export_type = "CPP";
  o.export_parameters.clear();
  o.nb_bits = 8;
  for (const graph::NodeId id : graph.nodes())
    if (const auto* round = graph::as<ops::FakeQuantize>(graph.node(id)))
      o.nb_bits = std::max<int64_t>(o.nb_bits, round->bits);
  return o;
}

/// Ranges of the input, which bytes have; everything else was learnt.
quantize::Ranges ranges_of(const loader::Network& net, const graph::Graph& graph,
                           const pipeline::Prepared& prepared) {
  std::vector<std::string> missing = quantize::values_without_scale(graph, prepared.options.output_bits);
  const auto bytes = settled_by_bytes(net, true, missing);
  if (!missing.empty())
    throw ConfigError(fmt::format("no grid was learnt for '{}'", join(missing, "', '")), {},
                      "a QAct of the layer learns one; an export with '-calib -1' measures it");
  return bytes ? quantize::ranges_of_bytes(graph, *bytes) : quantize::Ranges{};
}

}  // namespace

FrozenNetwork::FrozenNetwork(const loader::Network& net, const graph::Graph& masters,
                             const Options& options) {
  const log::Capture quiet;  // an export says it all
  graph::Graph graph = net.graph;
  loader::freeze(net, masters, graph);
  const Options o = options_of_integers(graph, options);
  // A plan that nobody ships needs no search for the last byte.
  target_ = configure_changed(o, {{"MemorySearchNodes", "0"}});
  const pipeline::Request request = pipeline_request(net, o);
  const pipeline::Hosts hosts(graph);
  std::map<std::string, std::pair<graph::ValueId, double>> rounded;
  for (const graph::NodeId id : graph.nodes())
    // What rounds the input has no layer of its own: the input's integers are those.
    if (const auto* round = graph::as<ops::FakeQuantize>(graph.node(id));
        round != nullptr && graph.value(graph.node(id).inputs.at(0)).producer)
      rounded[graph.node(id).name] = {graph.node(id).outputs.at(0), round->scale.at(0)};
  pipeline::Prepared prepared = pipeline::prepare(graph, request, *target_);
  folded_ = graph;
  if (prepared.options.zero_points) prepared.options.bytes = quantize::byte_grid(table_of_pictures(net));
  pipeline::quantize(graph, ranges_of(net, graph, prepared), prepared.options);
  std::map<std::string, graph::NodeId> left;
  for (const graph::NodeId id : graph.nodes()) left[graph.node(id).name] = id;
  for (const auto& [layer, host] : hosts.in(graph)) {
    const auto found = rounded.find(layer);
    if (found == rounded.end()) continue;
    N2D2_CHECK(!host.empty(), "no layer has the values of '{}'", layer);
    const graph::Value& value = graph.value(graph.node(left.at(host)).outputs.at(0));
    values_.push_back({found->second.first, value.name, found->second.second});
  }
  build_ = pipeline::plan(graph, request, *target_);
}

}  // namespace n2d2::app
