#include "n2d2/passes/recipe.hpp"

#include "n2d2/base/text.hpp"
#include "n2d2/graph/verify.hpp"

namespace n2d2::passes {

namespace {

struct Link {
  std::string type;
  bool optional = false;
};

std::vector<Link> links_of(const Recipe& recipe) {
  std::vector<Link> out;
  for (std::string& word : words(recipe.chain)) {
    const bool optional = word.ends_with('?');
    if (optional) word.pop_back();
    out.push_back({std::move(word), optional});
  }
  N2D2_CHECK(!out.empty(), "recipe '{}' has no links", recipe.name);
  return out;
}

/// One search: a chain grows from node to node.
class Match {
 public:
  Match(const graph::Graph& graph, std::span<const Link> links) : graph_(graph), links_(links) {}

  /// The chain whose first present link is the node; empty: there is none.
  std::vector<graph::NodeId> from(graph::NodeId node) {
    nodes_.assign(links_.size(), {});
    return grow(0, node, false) ? nodes_ : std::vector<graph::NodeId>{};
  }

 private:
  /// Whether links from `link` on fit, the first of those that are present being `node` (invalid: none is
  /// left).
  bool grow(size_t link, graph::NodeId node, bool begun) {
    if (link == links_.size()) return begun;
    if (node && graph_.node(node).op->type() == links_[link].type) {
      nodes_[link] = node;
      if (grow(link + 1, reader_of(node), true)) return true;
      nodes_[link] = {};
    }
    return links_[link].optional && grow(link + 1, node, begun);
  }

  /// The only node that reads what the node makes.
  graph::NodeId reader_of(graph::NodeId node) const {
    const auto& outputs = graph_.node(node).outputs;
    if (outputs.size() != 1 || !graph_.has_single_use(outputs[0])) return {};
    return graph_.value(outputs[0]).uses.front().node;
  }

  const graph::Graph& graph_;
  std::span<const Link> links_;
  std::vector<graph::NodeId> nodes_;
};

/// Fuses one chain, the first that the recipe takes.
bool fuse_one(graph::Graph& graph, const Recipe& recipe, std::span<const Link> links) {
  for (const graph::NodeId id : graph.schedule()) {
    const std::vector<graph::NodeId> chain = Match(graph, links).from(id);
    if (!chain.empty() && recipe.fuse(graph, chain)) return true;
  }
  return false;
}

}  // namespace

int fuse(graph::Graph& graph, std::span<const Recipe> recipes, const PassContext& context) {
  int all = 0;
  for (const Recipe& recipe : recipes) {
    const std::vector<Link> links = links_of(recipe);
    // A chain that is fused leaves fewer of them, so there are not more fusions than nodes.
    const auto most = static_cast<int>(graph.nodes().size());
    int count = 0;
    while (fuse_one(graph, recipe, links))
      N2D2_CHECK(++count <= most, "recipe '{}' finds its own result again", recipe.name);
    graph::verify(graph);
    if (context.after_pass) context.after_pass(recipe.name, count, graph);
    all += count;
  }
  return all;
}

}  // namespace n2d2::passes
