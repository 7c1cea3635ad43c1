#include "match.hpp"

#include <algorithm>
#include <set>

#include "n2d2/base/text.hpp"

namespace n2d2::graph {

namespace {

struct Step {
  std::vector<std::string> types;
  bool optional = false;
};

std::vector<Step> parse_recipe(std::string_view recipe) {
  std::vector<Step> steps;
  std::string text(recipe);
  for (size_t at = text.find("->"); at != std::string::npos; at = text.find("->")) text.replace(at, 2, ">");
  for (const std::string& part : split(text, '>')) {
    std::string_view word = trim(part);
    Step step;
    if (word.ends_with('?')) {
      step.optional = true;
      word.remove_suffix(1);
    }
    step.types = split(word, '|');
    steps.push_back(std::move(step));
  }
  N2D2_CHECK(!steps.empty() && !steps.front().optional, "recipe '{}' starts with an optional step", recipe);
  return steps;
}

bool accepts(const Step& step, const Node& node) {
  return std::find(step.types.begin(), step.types.end(), node.op->type()) != step.types.end();
}

/// The only user of output 0, when it reads it as its input 0; else an invalid id.
NodeId next(const Graph& graph, NodeId id) {
  const ValueId out = graph.node(id).outputs.at(0);
  if (!graph.has_single_use(out) || graph.value(out).uses[0].slot != 0) return {};
  return graph.value(out).uses[0].node;
}

}  // namespace

std::vector<Chain> match(const Graph& graph, std::string_view recipe) {
  const std::vector<Step> steps = parse_recipe(recipe);
  std::vector<Chain> chains;
  std::set<NodeId> taken;
  for (const NodeId start : graph.schedule()) {
    if (taken.contains(start) || !accepts(steps[0], graph.node(start))) continue;
    Chain chain{start};
    NodeId last = start;
    bool complete = true;
    for (size_t i = 1; i < steps.size() && complete; ++i) {
      const NodeId candidate = next(graph, last);
      const bool fits = candidate && !taken.contains(candidate) && accepts(steps[i], graph.node(candidate));
      chain.push_back(fits ? candidate : NodeId{});
      if (fits) last = candidate;
      complete = fits || steps[i].optional;
    }
    if (!complete) continue;
    for (const NodeId id : chain)
      if (id) taken.insert(id);
    chains.push_back(std::move(chain));
  }
  return chains;
}

}  // namespace n2d2::graph
