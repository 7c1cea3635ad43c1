#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/normalize.hpp"
#include "n2d2/passes/own_constant.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// Weights of an Fc with Normalize become what it makes of them: from then on it is an Fc
/// like others.
class NormalizeWeights final : public Pass {
 public:
  std::string_view name() const override { return "normalize_weights"; }
  std::string_view summary() const override {
    return "scales the weights of an Fc with Normalize to length 1";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    for (const graph::NodeId id : graph.nodes()) {
      const auto* fc = graph::as<ops::Fc>(graph.node(id));
      if (fc == nullptr || !fc->normalize) continue;
      auto plain = std::make_unique<ops::Fc>(*fc);  // a node with a constant of its own has another operator
      plain->normalize = false;
      Tensor& weights = graph.mutable_constant(own_constant(graph, id, 1));
      const int64_t size = weights.elements() / plain->nb_outputs;
      for (int64_t o = 0; o < plain->nb_outputs; ++o) {
        float* row = weights.data<float>() + o * size;
        ops::normalize_vector(row, size, 1, row);
      }
      graph.replace(id, std::move(plain), graph.node(id).inputs);
      ++rewrites;
    }
    return rewrites;
  }
};

}  // namespace

void register_normalize_weights(PassRegistry& registry);
void register_normalize_weights(PassRegistry& registry) {
  register_pass<NormalizeWeights>(registry);
}

}  // namespace n2d2::passes
