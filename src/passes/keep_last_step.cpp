#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/recurrent.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// Whether the crop leaves the state after the last step of the layer alone: the last pixel, or the first one
/// where steps go from the last pixel to the first.
bool leaves_last(const ops::Padding& crop, const ops::Recurrent& layer, const Shape& steps) {
  const int others = static_cast<int>(steps.h() * steps.w()) - 1;
  const bool is_row = steps.h() == 1;
  const int before = is_row ? crop.left : crop.top, behind = is_row ? crop.right : crop.bottom;
  const int across = is_row ? crop.top + crop.bottom : crop.left + crop.right;
  if (others == 0 || across != 0 || layer.last_step || layer.direction == ops::Direction::Both) return false;
  const bool is_reverse = layer.direction == ops::Direction::Reverse;
  return before == (is_reverse ? 0 : -others) && behind == (is_reverse ? -others : 0);
}

/// A recurrent layer of which only the last state is read keeps no other.
class KeepLastStep final : public Pass {
 public:
  std::string_view name() const override { return "keep_last_step"; }
  std::string_view summary() const override {
    return "leaves the last state of a recurrent layer alone where nothing else is read";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    for (const graph::NodeId id : graph.schedule()) {
      const auto* crop = graph::as<ops::Padding>(graph.node(id));
      const graph::NodeId producer = graph.producer(id, 0);
      if (crop == nullptr || !producer || !graph.has_single_use(graph.node(id).inputs[0])) continue;
      const auto* layer = graph::as<ops::Recurrent>(graph.node(producer));
      const graph::ValueId steps = graph.node(id).inputs[0];
      if (layer == nullptr || !leaves_last(*crop, *layer, graph.value(steps).type.shape)) continue;
      auto last = std::make_unique<ops::Recurrent>(*layer);
      last->last_step = true;
      graph.bypass(id);
      graph.replace(producer, std::move(last), graph.node(producer).inputs);
      ++rewrites;
    }
    if (rewrites > 0) graph.infer_shapes();
    return rewrites;
  }
};

}  // namespace

void register_keep_last_step(PassRegistry& registry);
void register_keep_last_step(PassRegistry& registry) {
  register_pass<KeepLastStep>(registry);
}

}  // namespace n2d2::passes
