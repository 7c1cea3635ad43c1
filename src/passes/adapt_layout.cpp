#include <cstring>

#include "n2d2/ops/fc.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// O x (c, y, x) becomes O x (y, x, c): the order in which the bytes of an NHWC input lie.
Tensor to_pixel_order(const Tensor& weights, const Shape& input) {
  Tensor out(weights.shape(), weights.dtype());
  const int64_t size = size_bytes(weights.dtype()), pixels = input.h() * input.w();
  const int64_t outputs = weights.elements() / (input.c() * pixels);
  const auto* src = static_cast<const std::byte*>(weights.raw());
  auto* dst = static_cast<std::byte*>(out.raw());
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t c = 0; c < input.c(); ++c)
      for (int64_t p = 0; p < pixels; ++p)
        std::memcpy(dst + ((o * pixels + p) * input.c() + c) * size,
                    src + ((o * input.c() + c) * pixels + p) * size, static_cast<size_t>(size));
  return out;
}

/// Decides where bytes lie, for the export and its host run:
///   activations   value type layout Nhwc; shapes stay logical N,C,H,W
///   Conv weights  constant and type layout Nhwc: shape O,I,KH,KW, bytes in the order O,KH,KW,I
///   Fc weights    shape O x (C*H*W) and layout Nchw stay, each row goes from (c, y, x) to (y, x, c)
///   vectors       as they are
/// An Fc whose input is Nhwc already has its rows in order, which makes the pass idempotent.
/// compute::Executor knows nothing of this order. A Reshape that mixes channels and pixels moves bytes then.
class AdaptLayout final : public Pass {
 public:
  std::string_view name() const override { return "adapt_layout"; }
  std::string_view summary() const override {
    return "puts activations and weights in NHWC byte order for an export";
  }
  bool keeps_values() const override { return false; }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = adapt_fc(graph);
    for (const graph::ValueId id : graph.values()) rewrites += adapt_value(graph, id) ? 1 : 0;
    return rewrites;
  }

 private:
  static int adapt_fc(graph::Graph& graph) {
    int rewrites = 0;
    for (const graph::NodeId id : graph.schedule()) {
      const graph::Node& node = graph.node(id);
      if (!graph::as<ops::Fc>(node)) continue;
      const TensorType& input = graph.value(node.inputs.at(0)).type;
      if (input.layout == Layout::Nhwc || input.shape.h() * input.shape.w() == 1) continue;
      const Shape shape = input.shape;
      const graph::ValueId weights = own_constant(graph, id, 1);
      Tensor adapted = to_pixel_order(*graph.value(weights).constant, shape);
      graph.set_constant(weights, std::move(adapted), graph.value(weights).type.quant);
      ++rewrites;
    }
    return rewrites;
  }

  static bool adapt_value(graph::Graph& graph, graph::ValueId id) {
    const graph::Value& value = graph.value(id);
    if (value.type.layout == Layout::Nhwc || value.type.shape.rank() != 4) return false;
    if (value.is_constant()) {
      Tensor adapted = to_layout(*value.constant, Layout::Nhwc);
      graph.set_constant(id, std::move(adapted), value.type.quant);
      return true;
    }
    TensorType type = value.type;
    type.layout = Layout::Nhwc;
    graph.set_type(id, std::move(type));
    return true;
  }
};

}  // namespace

void register_adapt_layout(PassRegistry& registry);
void register_adapt_layout(PassRegistry& registry) {
  register_pass<AdaptLayout>(registry);
}

}  // namespace n2d2::passes
