#include <algorithm>

#include "n2d2/ops/elemwise.hpp"
#include "n2d2/tensor/interval.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

using graph::IntegerForm;
using graph::ScaleOf;

/// Layers that compute each output and can bound it on the way out. An ElemWise can, too, where it has no integers.
bool computes(const graph::Node& node, const IntegerForm& form) {
  return (form.scale == ScaleOf::Own && !form.clamp) || graph::as<ops::ElemWise>(node);
}

/// Layers that only choose among values: a clamp, being monotone, may act before instead of after. Zeros that
/// the layer writes must be left alone by the clamp.
bool chooses(const IntegerForm& form, const Clamp& clamp) {
  const bool keeps_zero = clamp.lo <= 0 && 0 <= clamp.hi;
  return (form.scale == ScaleOf::OfInput || form.scale == ScaleOf::Shared) &&
         (!form.adds_zeros || keeps_zero);
}

/// Whether the clamp on this value can become part of what makes it; its only reader is the clamp.
bool accepts(const graph::Graph& graph, graph::ValueId id, const Clamp& clamp) {
  const graph::Value& value = graph.value(id);
  if (!value.producer || !graph.has_single_use(id)) return false;
  const graph::Node& node = graph.node(value.producer);
  const IntegerForm form = graph::integer_form(graph, node);
  if (computes(node, form)) return true;
  if (node.clamp || !chooses(form, clamp)) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](graph::ValueId input) { return accepts(graph, input, clamp); });
}

void apply(graph::Graph& graph, graph::ValueId id, const Clamp& clamp) {
  const graph::Node& node = graph.node(graph.value(id).producer);
  if (computes(node, graph::integer_form(graph, node))) {
    graph.set_clamp(node.id, node.clamp ? compose(*node.clamp, clamp) : clamp);
    return;
  }
  for (const graph::ValueId input : node.inputs) apply(graph, input, clamp);
}

/// Relu without leak and Saturation become Node::clamp of the layer they follow: Conv, Fc, ElemWise, average
/// Pool or Scaling with that single reader, also through layers that only move values or choose among them. A
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
      std::optional<Clamp> clamp = graph::integer_form(graph, node).clamp;
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
