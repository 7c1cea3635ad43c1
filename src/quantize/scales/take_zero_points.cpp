#include "take_zero_points.hpp"

#include <algorithm>
#include <memory>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/border.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/prelu.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/tensor/interval.hpp"

#include "file_grids.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

bool only_moves(const graph::Graph& graph, const graph::Node& node) {
  return !graph::as<ops::FakeQuantize>(node) &&
         graph::integer_form(graph, node).scale == graph::ScaleOf::OfInput;
}

/// The node that makes what a value is moved from; null for an input of the network.
const graph::Node* maker(const graph::Graph& graph, ValueId value) {
  for (NodeId id = graph.value(value).producer; id; id = graph.value(value).producer) {
    const graph::Node& node = graph.node(id);
    if (!only_moves(graph, node)) return &node;
    value = node.inputs.at(0);
  }
  return nullptr;
}

/// The only node that reads a value or what is moved from it; null where several do.
const graph::Node* reader(const graph::Graph& graph, ValueId value) {
  while (graph.has_single_use(value)) {
    const graph::Node& node = graph.node(graph.value(value).uses[0].node);
    if (!only_moves(graph, node)) return &node;
    value = node.outputs.at(0);
  }
  return nullptr;
}

/// y = clamp(x above 0, slope x below), as a table in integers.
void tabulate(graph::Graph& graph, NodeId id, double slope, const Clamp& clamp) {
  const graph::Node& node = graph.node(id);
  const ValueId in = node.inputs.at(0);
  const Clamp all = node.clamp ? compose(clamp, *node.clamp) : clamp;
  const ValueId slopes = graph.add_constant(graph.unique_name(node.name + "_slope"),
                                            Tensor::from(Shape{1, 1, 1, 1}, {static_cast<float>(slope)}));
  graph.replace(id, std::make_unique<ops::PRelu>(), {in, slopes});
  if (all != Clamp{}) graph.set_clamp(id, all);
}

void tabulate(graph::Graph& graph, NodeId id, const ops::Relu& relu) {
  Clamp clamp;
  if (relu.clipping > 0) clamp.hi = static_cast<float>(relu.clipping);
  if (relu.leak_slope == 0) clamp.lo = 0;
  tabulate(graph, id, relu.leak_slope == 0 ? 1 : relu.leak_slope, clamp);
}

/// Weights of one magnitude are integers without an error.
void weigh(graph::Graph& graph, NodeId id, const std::vector<double>& factors) {
  const graph::Node& node = graph.node(id);
  const ValueId in = node.inputs.at(0);
  const int64_t channels = graph.value(in).type.shape.c();
  Tensor weights(Shape{channels, 1, 1, 1});
  for (int64_t c = 0; c < channels; ++c)
    weights.data<float>()[c] =
        static_cast<float>(factors.size() == 1 ? factors[0] : factors[static_cast<size_t>(c)]);
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = {1, 1};
  conv->nb_outputs = conv->groups = static_cast<int>(channels);
  const ValueId constant = graph.add_constant(graph.unique_name(node.name + "_factors"), std::move(weights));
  graph.replace(id, std::move(conv), {in, constant});
}

/// Whether a value has a zero point, which layers that move its integers hand on.
bool has_zero_point(const graph::Graph& graph, ValueId value) {
  for (;;) {
    const graph::Value& at = graph.value(value);
    if (at.type.quant || !at.producer) return at.type.quant && at.type.quant->zero_point != 0;
    const graph::Node& node = graph.node(at.producer);
    const graph::ScaleOf scale = graph::integer_form(graph, node).scale;
    if (scale != graph::ScaleOf::OfInput && scale != graph::ScaleOf::Shared) return false;
    value = node.inputs.at(0);
  }
}

std::unique_ptr<ops::Border> border_of(const Pads& pads) {
  auto border = std::make_unique<ops::Border>();
  border->left = std::max(pads.left, 0), border->top = std::max(pads.top, 0);
  border->right = std::max(pads.right, 0), border->bottom = std::max(pads.bottom, 0);
  return border;
}

/// Another operator behind real 0 around input 0 of a node.
void replace_behind_border(graph::Graph& graph, NodeId id, const Pads& pads,
                           std::unique_ptr<graph::Operator> op) {
  const graph::Node& node = graph.node(id);
  const NodeId border =
      graph.add(border_of(pads), graph.unique_name(node.name + "_border"), {node.inputs.at(0)}, node.origin);
  graph.replace(id, std::move(op), {graph.node(border).outputs.at(0)});
}

}  // namespace

void take_zero_points(graph::Graph& graph, const Options& options) {
  const passes::DeclaredRanges ranges = passes::declared_ranges(graph, Clamp{});
  const auto asks = [&](const graph::Node* node) {
    return node != nullptr && asks_for_zero_point(*node, ranges, options);
  };
  for (const NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    const auto* relu = graph::as<ops::Relu>(node);
    const auto* saturation = graph::as<ops::Saturation>(node);
    const auto* scaling = graph::as<ops::Scaling>(node);
    if (relu == nullptr && saturation == nullptr && scaling == nullptr) continue;
    if (!asks(maker(graph, node.inputs.at(0))) && !asks(reader(graph, node.outputs.at(0)))) continue;
    if (relu != nullptr)
      tabulate(graph, id, ops::Relu(*relu));
    else if (saturation != nullptr)
      tabulate(graph, id, 1, saturation->clamp());
    else
      weigh(graph, id, std::vector<double>(scaling->factor));
  }
}

void border_paddings(graph::Graph& graph) {
  for (const NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (!graph::integer_form(graph, node).adds_zeros || !has_zero_point(graph, node.inputs.at(0))) continue;
    if (const auto* pool = graph::as<ops::Pool>(node)) {
      auto plain = std::make_unique<ops::Pool>(*pool);
      plain->padding = {};
      plain->count_zeros = false;
      replace_behind_border(graph, id, pool->padding, std::move(plain));
      continue;
    }
    const Pads pads = graph::as<ops::Padding>(node)->pads();
    auto crop = std::make_unique<ops::Padding>();
    crop->left = std::min(pads.left, 0), crop->top = std::min(pads.top, 0);
    crop->right = std::min(pads.right, 0), crop->bottom = std::min(pads.bottom, 0);
    if (crop->pads() == Pads{})
      graph.replace(id, border_of(pads), std::vector<ValueId>(node.inputs));
    else
      replace_behind_border(graph, id, pads, std::move(crop));
  }
}

}  // namespace n2d2::quantize
