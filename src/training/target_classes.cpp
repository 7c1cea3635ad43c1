#include "target_classes.hpp"

#include <algorithm>
#include <set>

#include "n2d2/ops/target_bias.hpp"

namespace n2d2::training {

namespace {

bool depends_on(const graph::Graph& graph, graph::ValueId value, graph::NodeId wanted) {
  std::set<graph::ValueId> seen{value};
  std::vector<graph::ValueId> open{value};
  while (!open.empty()) {
    const graph::NodeId producer = graph.value(open.back()).producer;
    open.pop_back();
    if (!producer) continue;
    if (producer == wanted) return true;
    for (const graph::ValueId input : graph.node(producer).inputs)
      if (seen.insert(input).second) open.push_back(input);
  }
  return false;
}

}  // namespace

TargetClasses::TargetClasses(const graph::Graph& graph, std::span<const TrainingTarget> targets) {
  for (const graph::NodeId id : graph.nodes()) {
    const graph::Node& node = graph.node(id);
    if (!graph::as<ops::TargetBias>(node)) continue;
    const auto found = std::find_if(targets.begin(), targets.end(), [&](const TrainingTarget& target) {
      return depends_on(graph, target.value, id);
    });
    if (found == targets.end())
      throw ModelError(
          fmt::format("{}: no target depends on it, so it knows no class to learn", subject(node)),
          node.origin, "a section [<layer>.Target] on it or on a layer behind it");
    entries_.push_back(
        {node.inputs.at(ops::TargetBias::kClassesSlot), static_cast<size_t>(found - targets.begin())});
  }
}

void TargetClasses::set(graph::Graph& graph, std::span<const TrainingTarget> targets,
                        std::span<const int> labels) const {
  for (const Entry& entry : entries_) {
    const std::span<float> classes = graph.mutable_constant(entry.classes).span();
    std::fill(classes.begin(), classes.end(), -1.0F);
    // One class a sample: labels of single pixels name none.
    const size_t samples = std::min(classes.size(), labels.size());
    for (size_t n = 0; n < samples; ++n)
      classes[n] = static_cast<float>(targets[entry.target].target.class_of(labels[n]));
  }
}

}  // namespace n2d2::training
