#include <algorithm>
#include <cmath>

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
      const graph::ValueId constant = own_constant(graph, id, 1);
      TensorType type = graph.value(constant).type;
      Tensor& weights = graph.mutable_constant(constant);
      const int64_t size = weights.elements() / plain->nb_outputs;
      std::vector<float> scale;
      for (int64_t o = 0; o < plain->nb_outputs; ++o) {
        float* row = weights.data<float>() + o * size;
        const float* largest =
            std::max_element(row, row + size, [](float a, float b) { return std::abs(a) < std::abs(b); });
        const double before = *largest;
        ops::normalize_vector(row, size, 1, row);
        if (!type.quant) continue;
        const double step = type.quant->scale[type.quant->axis < 0 ? 0 : static_cast<size_t>(o)];
        scale.push_back(static_cast<float>(before != 0 ? step * *largest / before : step));
      }
      if (type.quant) {  // the integers stay
        type.quant->axis = 0;
        type.quant->scale = std::move(scale);
        type.quant->threshold.clear();
        graph.set_type(constant, std::move(type));
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
