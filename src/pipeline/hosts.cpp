#include "n2d2/pipeline/hosts.hpp"

#include <map>
#include <set>

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

}  // namespace

Hosts::Hosts(const graph::Graph& graph) {
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    layers_.push_back({node.name, layer_before(graph, node)});
  }
}

std::vector<std::pair<std::string, std::string>> Hosts::in(const graph::Graph& graph) const {
  std::set<std::string> left;
  for (const graph::NodeId id : graph.nodes()) left.insert(graph.node(id).name);
  std::map<std::string, std::string> host;
  std::vector<std::pair<std::string, std::string>> out;
  for (const Layer& layer : layers_) {
    const std::string own = passes::own_layer_of(layer.name);
    const auto before = host.find(layer.before);
    const std::string& name = host[layer.name] = left.contains(layer.name) ? layer.name
                                                 : left.contains(own)      ? own
                                                 : before != host.end()    ? before->second
                                                                           : "";
    out.emplace_back(layer.name, name);
  }
  return out;
}

}  // namespace n2d2::pipeline
