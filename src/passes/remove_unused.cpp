#include <algorithm>

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// Drops layers whose values no layer and no output reads, such as steps of an import that others made
/// needless.
class RemoveUnused final : public Pass {
 public:
  std::string_view name() const override { return "remove_unused"; }
  std::string_view summary() const override { return "drops layers whose values nothing reads"; }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    std::vector<graph::NodeId> order = graph.schedule();
    std::reverse(order.begin(), order.end());  // readers before what they read
    for (const graph::NodeId id : order) {
      const std::vector<graph::ValueId>& outputs = graph.node(id).outputs;
      const bool is_read = std::any_of(outputs.begin(), outputs.end(), [&](graph::ValueId value) {
        return graph.is_output(value) || !graph.value(value).uses.empty();
      });
      if (is_read) continue;
      graph.erase(id);
      ++rewrites;
    }
    return rewrites;
  }
};

}  // namespace

void register_remove_unused(PassRegistry& registry);
void register_remove_unused(PassRegistry& registry) {
  register_pass<RemoveUnused>(registry);
}

}  // namespace n2d2::passes
