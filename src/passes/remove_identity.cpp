#include <algorithm>

#include "n2d2/ops/concat.hpp"
#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/ops/transpose.hpp"
#include "n2d2/passes/declared_range.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// A Reshape keeps the order (channel, y, x) in which an Fc flattens its input, so an Fc needs none.
bool only_fc_reads(const graph::Graph& graph, graph::ValueId id) {
  const graph::Value& value = graph.value(id);
  return !value.uses.empty() && !graph.is_output(id) &&
         std::all_of(value.uses.begin(), value.uses.end(), [&](const graph::Use& use) {
           return use.slot == 0 && graph::as<ops::Fc>(graph.node(use.node)) != nullptr;
         });
}

bool contains(const Clamp& outer, const Clamp& inner) {
  return outer.lo <= inner.lo && inner.hi <= outer.hi;
}

/// Every pixel lies on itself, unless positions are shifted, or a scale of its own draws them apart.
bool keeps_pixels(const ops::Resize& resize, const Shape& in) {
  return resize.output_width == in.w() && resize.output_height == in.h() && resize.scale_x == 0 &&
         resize.scale_y == 0 && resize.positions != ops::ResizePositions::TfHalfPixel;
}

bool is_identity(const graph::Graph& graph, const graph::Node& node, const Clamp& in) {
  if (node.clamp || node.rescale) return false;
  const std::optional<QuantParams>& quant = graph.value(node.outputs.at(0)).type.quant;
  if (quant && quant != graph.value(node.inputs.at(0)).type.quant) return false;  // it goes to another scale
  if (const auto* transpose = graph::as<ops::Transpose>(node)) return transpose->is_identity();
  if (const auto* resize = graph::as<ops::Resize>(node))
    return keeps_pixels(*resize, graph.value(node.inputs.at(0)).type.shape);
  if (const auto* blocks = graph::as<ops::DepthToSpace>(node)) return blocks->is_identity();
  if (graph::as<ops::Reshape>(node)) {
    const graph::ValueId out = node.outputs.at(0);
    return graph.value(out).type.shape == graph.value(node.inputs.at(0)).type.shape ||
           only_fc_reads(graph, out);
  }
  if (const auto* scaling = graph::as<ops::Scaling>(node))
    return std::all_of(scaling->factor.begin(), scaling->factor.end(), [](double f) { return f == 1; });
  if (graph::as<ops::Concat>(node)) return node.inputs.size() == 1;
  if (const auto* padding = graph::as<ops::Padding>(node)) return padding->pads() == Pads{};
  const std::optional<Clamp> clamp = graph::integer_form(graph, node).clamp;
  return clamp && contains(*clamp, in);
}

/// Drops what changes no value: a Reshape to the same shape or in front of an Fc, a Scaling by 1, a Concat of
/// one input, a Padding of nothing, a Transpose, Resize or DepthToSpace that moves nothing, a clamp wider
/// than the declared range of what it reads.
class RemoveIdentity final : public Pass {
 public:
  std::string_view name() const override { return "remove_identity"; }
  std::string_view summary() const override { return "drops layers that change no value"; }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    const DeclaredRanges ranges = declared_ranges(graph);
    std::vector<graph::NodeId> order = graph.schedule();
    std::reverse(order.begin(), order.end());  // a chain of reshapes goes from its end
    for (const graph::NodeId id : order) {
      const graph::Node& node = graph.node(id);
      if (!is_identity(graph, node, ranges.at(node.inputs.at(0)))) continue;
      graph.bypass(id);
      ++rewrites;
    }
    if (rewrites > 0) graph.infer_shapes();
    return rewrites;
  }
};

}  // namespace

void register_remove_identity(PassRegistry& registry);
void register_remove_identity(PassRegistry& registry) {
  register_pass<RemoveIdentity>(registry);
}

}  // namespace n2d2::passes
