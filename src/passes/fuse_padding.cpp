#include <algorithm>
#include <map>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/passes/declared_range.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

Pads sum(const Pads& a, const Pads& b) {
  return {a.left + b.left, a.top + b.top, a.right + b.right, a.bottom + b.bottom};
}

/// Every window of the pool holds at least one pixel of the map.
bool touches_map(const ops::Pool& pool, const Pads& pads) {
  return std::max(pads.left, pads.right) < pool.kernel.x && std::max(pads.top, pads.bottom) < pool.kernel.y;
}

/// The child with the Padding's zeros as its own padding, or null if it cannot say the same.
std::unique_ptr<graph::Operator> padded(const graph::Node& child, const Pads& pads, bool not_negative) {
  if (const auto* conv = graph::as<ops::Conv>(child)) {
    auto out = std::make_unique<ops::Conv>(*conv);
    out->padding = sum(conv->padding, pads);
    return out;
  }
  const auto* pool = graph::as<ops::Pool>(child);
  if (!pool) return nullptr;
  auto out = std::make_unique<ops::Pool>(*pool);
  out->padding = sum(pool->padding, pads);
  if (pool->pooling == ops::Pooling::Average || pool->count_zeros) return out;
  // A maximum over values >= 0 is the same with and without zeros; otherwise the zeros of the Padding have to
  // be seen, while the pool's own padding must not.
  if (not_negative && touches_map(*pool, out->padding)) return out;
  if (pool->padding != Pads{}) return nullptr;
  out->count_zeros = true;
  return out;
}

/// Removes a Padding whose readers are all Conv or Pool layers; its four sides are added to theirs. A max
/// pool ignores its padding, so it is marked CountZeros unless what it reads is known to be >= 0. A Padding
/// that crops stays, and one in front of a max pool that pads by itself and may read negative values.
class FusePadding final : public Pass {
 public:
  std::string_view name() const override { return "fuse_padding"; }
  std::string_view summary() const override {
    return "adds Padding layers to the padding of the layers after";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    const DeclaredRanges ranges = declared_ranges(graph);
    int rewrites = 0;
    std::vector<graph::NodeId> order = graph.schedule();
    std::reverse(order.begin(), order.end());  // of two Paddings in a row the second goes first
    for (const graph::NodeId id : order) rewrites += fuse(graph, id, ranges) ? 1 : 0;
    return rewrites;
  }

 private:
  static bool fuse(graph::Graph& graph, graph::NodeId id, const DeclaredRanges& ranges) {
    const graph::Node& node = graph.node(id);
    const auto* padding = graph::as<ops::Padding>(node);
    if (!padding || node.clamp || graph.is_output(node.outputs.at(0))) return false;
    const Pads pads = padding->pads();
    if (std::min({pads.left, pads.top, pads.right, pads.bottom}) < 0) return false;
    const graph::ValueId input = node.inputs.at(0);
    const std::vector<graph::Use> uses = graph.value(node.outputs.at(0)).uses;
    std::map<graph::NodeId, std::unique_ptr<graph::Operator>> children;
    for (const graph::Use& use : uses) {
      auto child = padded(graph.node(use.node), pads, ranges.at(input).lo >= 0);
      if (!child || use.slot != 0) return false;
      children[use.node] = std::move(child);
    }
    if (children.empty()) return false;
    for (auto& [child, op] : children) {
      std::vector<graph::ValueId> inputs = graph.node(child).inputs;
      inputs[0] = input;
      graph.replace(child, std::move(op), std::move(inputs));
    }
    graph.erase(id);
    return true;
  }
};

}  // namespace

void register_fuse_padding(PassRegistry& registry);
void register_fuse_padding(PassRegistry& registry) {
  register_pass<FusePadding>(registry);
}

}  // namespace n2d2::passes
