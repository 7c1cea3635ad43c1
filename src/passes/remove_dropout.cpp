#include "n2d2/ops/dropout.hpp"
#include "n2d2/ops/target_bias.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// Dropout and TargetBias do nothing outside training.
class RemoveDropout final : public Pass {
 public:
  std::string_view name() const override { return "remove_dropout"; }
  std::string_view summary() const override {
    return "drops Dropout and TargetBias layers, which only act while learning";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    for (const graph::NodeId id : graph.nodes()) {
      const graph::Node& node = graph.node(id);
      if ((!graph::as<ops::Dropout>(node) && !graph::as<ops::TargetBias>(node)) || node.clamp) continue;
      graph.bypass(id);
      ++rewrites;
    }
    return rewrites;
  }
};

}  // namespace

void register_remove_dropout(PassRegistry& registry);
void register_remove_dropout(PassRegistry& registry) {
  register_pass<RemoveDropout>(registry);
}

}  // namespace n2d2::passes
