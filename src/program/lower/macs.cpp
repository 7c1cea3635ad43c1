#include "macs.hpp"

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/matmul.hpp"
#include "n2d2/ops/recurrent.hpp"

namespace n2d2::program {

int64_t macs_of(const graph::Graph& graph, const graph::Node& node) {
  if (const auto* layer = graph::as<ops::Recurrent>(node))
    return layer->products(graph.value(node.inputs.at(0)).type.shape);
  if (const auto* product = graph::as<ops::MatMul>(node))
    return product->products(graph.value(node.inputs.at(0)).type.shape,
                             graph.value(node.outputs.at(0)).type.shape);
  if (graph::as<ops::Conv>(node) == nullptr && graph::as<ops::Fc>(node) == nullptr) return 0;
  const Shape& out = graph.value(node.outputs.at(0)).type.shape;
  const Shape& weights = graph.value(node.inputs.at(1)).type.shape;
  return out.h() * out.w() * weights.elements();
}

}  // namespace n2d2::program
