#include <algorithm>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/concat.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/passes/declared_range.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

std::optional<Clamp> clamp_of(const graph::Node& node) {
  if (const auto* relu = graph::as<ops::Relu>(node)) return relu->clamp();
  if (const auto* saturation = graph::as<ops::Saturation>(node)) return saturation->clamp();
  return std::nullopt;
}

/// Layers that compute each output and can bound it on the way out.
bool computes(const graph::Node& node) {
  const auto* pool = graph::as<ops::Pool>(node);
  return has_weights(node) || graph::as<ops::ElemWise>(node) || graph::as<ops::Scaling>(node) ||
         (pool && pool->pooling == ops::Pooling::Average);
}

/// Layers that only choose among values: a clamp, being monotone, may act before instead of after. Zeros that
/// the layer writes must be left alone by the clamp.
bool chooses(const graph::Node& node, const Clamp& clamp) {
  const bool keeps_zero = clamp.lo <= 0 && 0 <= clamp.hi;
  if (const auto* pool = graph::as<ops::Pool>(node)) return !pool->count_zeros || keeps_zero;
  if (graph::as<ops::Padding>(node)) return keeps_zero;
  return graph::as<ops::Concat>(node) || graph::as<ops::Reshape>(node);
}

/// Whether the clamp on this value can become part of what makes it; its only reader is the clamp.
bool accepts(const graph::Graph& graph, graph::ValueId id, const Clamp& clamp) {
  const graph::Value& value = graph.value(id);
  if (!value.producer || !graph.has_single_use(id)) return false;
  const graph::Node& node = graph.node(value.producer);
  if (computes(node)) return true;
  if (node.clamp || !chooses(node, clamp)) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](graph::ValueId input) { return accepts(graph, input, clamp); });
}

void apply(graph::Graph& graph, graph::ValueId id, const Clamp& clamp) {
  const graph::Node& node = graph.node(graph.value(id).producer);
  if (computes(node)) {
    graph.set_clamp(node.id, node.clamp ? compose(*node.clamp, clamp) : clamp);
    return;
  }
  for (const graph::ValueId input : node.inputs) apply(graph, input, clamp);
}

/// Relu without leak and Saturation become Node::clamp of the layer they follow: Conv, Fc, ElemWise, average
/// Pool or Scaling with that single reader, also through max pools, paddings, concatenations and reshapes. A
/// second clamp narrows the first. Clamps that find no such layer stay nodes.
class FuseActivation final : public Pass {
 public:
  std::string_view name() const override { return "fuse_activation"; }
  std::string_view summary() const override {
    return "turns activations that are clamps into a bound of the layer before";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    for (const graph::NodeId id : graph.schedule()) {
      const graph::Node& node = graph.node(id);
      std::optional<Clamp> clamp = clamp_of(node);
      if (!clamp) continue;
      if (node.clamp) clamp = compose(*clamp, *node.clamp);
      const graph::ValueId input = node.inputs.at(0);
      if (!accepts(graph, input, *clamp)) continue;
      apply(graph, input, *clamp);
      graph.bypass(id);
      ++rewrites;
    }
    return rewrites;
  }
};

}  // namespace

void register_fuse_activation(PassRegistry& registry);
void register_fuse_activation(PassRegistry& registry) {
  register_pass<FuseActivation>(registry);
}

}  // namespace n2d2::passes
