#include "statistics.hpp"

#include <fmt/format.h>

#include "n2d2/loader/weights_file.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/matmul.hpp"
#include "n2d2/ops/recurrent.hpp"

#include "files.hpp"

namespace n2d2::app {

int64_t parameters_of(const graph::Graph& graph, const graph::Node& node) {
  int64_t sum = 0;
  for (size_t slot = 0; slot < node.inputs.size(); ++slot)
    if (loader::is_parameter(graph, node, slot)) sum += graph.value(node.inputs[slot]).type.shape.elements();
  return sum;
}

int64_t products_of(const graph::Graph& graph, const graph::Node& node) {
  if (node.inputs.size() < 2 || node.op->input_role(1) != "weights") return 0;
  if (const auto* layer = graph::as<ops::Recurrent>(node))
    return layer->products(graph.value(node.inputs[0]).type.shape);
  if (const auto* product = graph::as<ops::MatMul>(node))
    return product->products(graph.value(node.inputs[0]).type.shape, graph.value(node.outputs[0]).type.shape);
  const Shape& weights = graph.value(node.inputs[1]).type.shape;
  // A kernel of a Deconv is multiplied with each pixel that it reads, that of the others for each pixel that
  // they write.
  const bool spreads = graph::as<ops::Deconv>(node) != nullptr;
  const Shape& pixels = graph.value(spreads ? node.inputs[0] : node.outputs[0]).type.shape;
  int64_t products = weights.elements();
  if (const auto* conv = graph::as<ops::Conv>(node); conv != nullptr && !conv->connections.empty()) {
    products = 0;
    for (const int connected : conv->connections) products += connected;
    products *= weights[2] * weights[3];
  }
  return products * pixels.h() * pixels.w();
}

void write_statistics(const loader::Network& net, const std::filesystem::path& path) {
  std::string text =
      fmt::format("{:<32} {:<12} {:>16} {:>14} {:>16}\n", "layer", "type", "outputs", "parameters", "MAC");
  int64_t all_parameters = 0, all_products = 0;
  for (const graph::NodeId id : net.graph.schedule()) {
    const graph::Node& node = net.graph.node(id);
    const Shape& out = net.graph.value(node.outputs[0]).type.shape;
    const int64_t count = parameters_of(net.graph, node), products = products_of(net.graph, node);
    all_parameters += count;
    all_products += products;
    text += fmt::format("{:<32} {:<12} {:>16} {:>14} {:>16}\n", node.name, node.op->type(),
                        fmt::format("{}x{}x{}", out.c(), out.h(), out.w()), with_thousands(count),
                        with_thousands(products));
  }
  text += fmt::format("{:<32} {:<12} {:>16} {:>14} {:>16}\n", "all", "", "", with_thousands(all_parameters),
                      with_thousands(all_products));
  write_text(path, text);
}

}  // namespace n2d2::app
