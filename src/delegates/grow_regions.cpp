#include <algorithm>
#include <map>

#include "n2d2/delegates/partition.hpp"

namespace n2d2::delegates {

namespace {

/// Groups of nodes: of each node, the number of its group.
using Groups = std::map<graph::NodeId, int>;

/// Whether the groups can run one after the other, each as a whole.
bool can_be_ordered(const graph::Graph& graph, const Groups& groups) {
  std::map<int, std::set<int>> readers;
  std::map<int, int> waiting;
  for (const auto& [id, group] : groups) {
    waiting.try_emplace(group, 0);
    for (const graph::ValueId input : graph.node(id).inputs) {
      const graph::NodeId producer = graph.value(input).producer;
      if (!producer || groups.at(producer) == group) continue;
      if (readers[groups.at(producer)].insert(group).second) ++waiting[group];
    }
  }
  std::vector<int> ready;
  for (const auto& [group, count] : waiting)
    if (count == 0) ready.push_back(group);
  size_t done = 0;
  for (; !ready.empty(); ++done) {
    const int group = ready.back();
    ready.pop_back();
    for (const int reader : readers[group])
      if (--waiting[reader] == 0) ready.push_back(reader);
  }
  return done == waiting.size();
}

/// Nodes of earlier regions together, every other one by itself.
Groups groups_before(const graph::Graph& graph, std::span<const NodeSet> taken) {
  Groups out;
  for (const graph::NodeId id : graph.nodes()) out[id] = id.index;
  for (const NodeSet& region : taken)
    for (const graph::NodeId id : region)
      if (out.contains(id)) out[id] = region.begin()->index;
  return out;
}

Groups joined(Groups groups, int from, int to) {
  for (auto& [id, group] : groups)
    if (group == from) group = to;
  return groups;
}

}  // namespace

std::vector<NodeSet> grow_regions(const graph::Graph& graph, std::span<const NodeSet> taken,
                                  const std::function<bool(const graph::Node&)>& takes) {
  Groups groups = groups_before(graph, taken);
  const auto is_free = [&](graph::NodeId id) {
    return std::none_of(taken.begin(), taken.end(),
                        [&](const NodeSet& region) { return region.contains(id); });
  };
  NodeSet grown;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (!is_free(id) || !takes(node)) continue;
    grown.insert(id);
    for (const graph::ValueId input : node.inputs) {
      const graph::NodeId producer = graph.value(input).producer;
      if (!producer || !grown.contains(producer) || groups.at(producer) == groups.at(id)) continue;
      Groups other = joined(groups, groups.at(id), groups.at(producer));
      if (can_be_ordered(graph, other)) groups = std::move(other);
    }
  }
  std::map<int, NodeSet> regions;
  for (const graph::NodeId id : grown) regions[groups.at(id)].insert(id);
  std::vector<NodeSet> out;
  for (auto& [group, nodes] : regions) out.push_back(std::move(nodes));
  return out;
}

}  // namespace n2d2::delegates
