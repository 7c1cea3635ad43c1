#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/reshape.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

constexpr double kTolerance = 1e-3;
constexpr int kMaxSweeps = 50;

/// Weights and biases of a layer while they are scaled, in double: fifty sweeps do not add up rounding.
struct Layer {
  std::vector<double> weights, biases;
  int64_t outputs = 0, row = 0;
};
using Layers = std::map<graph::NodeId, Layer>;

/// Output channel c of `parent` feeds the weights of `child` that WeightIndices lists.
struct Pair {
  graph::NodeId parent, child;
};

bool scales_through(const std::optional<Clamp>& clamp) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  return !clamp || ((clamp->lo == 0 || clamp->lo == -kInf) && clamp->hi == kInf);
}

/// Layers f with f(s x) = s f(x) for s > 0, channel by channel.
bool is_homogeneous(const graph::Graph& graph, const graph::Node& node) {
  return scales_through(node.clamp) && graph::integer_form(graph, node).by_channel;
}

bool is_flattening(const graph::Graph& graph, const graph::Node& node) {
  return graph::as<ops::Reshape>(node) && graph.value(node.outputs.at(0)).uses.size() == 1 &&
         graph::as<ops::Fc>(graph.node(graph.value(node.outputs.at(0)).uses[0].node));
}

/// The Conv or Fc that alone reads this layer, directly or through homogeneous layers; else an invalid id.
graph::NodeId child_of(const graph::Graph& graph, const graph::Node& parent) {
  if (!scales_through(parent.clamp)) return {};
  graph::ValueId wire = parent.outputs.at(0);
  while (graph.has_single_use(wire)) {
    const graph::Use use = graph.value(wire).uses[0];
    const graph::Node& node = graph.node(use.node);
    if (use.slot != 0) return {};
    if (has_weights(graph, node)) return node.id;
    if (!is_homogeneous(graph, node) && !is_flattening(graph, node)) return {};
    wire = node.outputs.at(0);
  }
  return {};
}

/// Weights that were integers before stay what they are.
bool came_quantized(const graph::Graph& graph, graph::NodeId id) {
  return graph.value(graph.node(id).inputs.at(1)).type.quant.has_value();
}

std::vector<Pair> find_pairs(const graph::Graph& graph) {
  std::vector<Pair> pairs;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (!has_weights(graph, node)) continue;
    const graph::NodeId child = child_of(graph, node);
    if (child && !came_quantized(graph, id) && !came_quantized(graph, child)) pairs.push_back({id, child});
  }
  return pairs;
}

struct Magnitudes {
  double parent = 0, child = 0;
};

Magnitudes measure(const graph::Graph& graph, Layers& layers, const Pair& pair, int64_t c) {
  Layer& parent = layers.at(pair.parent);
  Magnitudes m;
  for (int64_t i = 0; i < parent.row; ++i)
    m.parent = std::max(m.parent, std::abs(parent.weights[static_cast<size_t>(c * parent.row + i)]));
  const Layer& child = layers.at(pair.child);
  WeightIndices(graph, graph.node(pair.child), parent.outputs).for_channel(c, [&](int64_t, size_t i) {
    m.child = std::max(m.child, std::abs(child.weights[i]));
  });
  return m;
}

double bias(const Layer& layer, int64_t c) {
  return layer.biases.empty() ? 0 : layer.biases[static_cast<size_t>(c)];
}

/// How far channel c is from equal: |r1 / r2 - 1|. A channel that one side does not use is equal once the
/// other side is zero, too; one that carries only its bias is left alone.
double distance(const Magnitudes& m, double bias) {
  if (m.parent == 0) return m.child == 0 || bias != 0 ? 0 : 1;
  if (m.child == 0) return 1;
  return std::abs(m.parent / m.child - 1);
}

void scale(const graph::Graph& graph, Layers& layers, const Pair& pair, int64_t c) {
  Layer& parent = layers.at(pair.parent);
  const Magnitudes m = measure(graph, layers, pair, c);
  if (distance(m, bias(parent, c)) == 0) return;
  const double middle = std::sqrt(m.parent) * std::sqrt(m.child);
  const double up = m.parent > 0 ? middle / m.parent : 0, down = m.child > 0 ? middle / m.child : 0;
  for (int64_t i = 0; i < parent.row; ++i) parent.weights[static_cast<size_t>(c * parent.row + i)] *= up;
  if (!parent.biases.empty()) parent.biases[static_cast<size_t>(c)] *= up;
  Layer& child = layers.at(pair.child);
  WeightIndices(graph, graph.node(pair.child), parent.outputs).for_channel(c, [&](int64_t, size_t i) {
    child.weights[i] *= down;
  });
}

double largest_distance(const graph::Graph& graph, Layers& layers, const std::vector<Pair>& pairs) {
  double largest = 0;
  for (const Pair& pair : pairs)
    for (int64_t c = 0; c < layers.at(pair.parent).outputs; ++c)
      largest = std::max(largest, distance(measure(graph, layers, pair, c), bias(layers.at(pair.parent), c)));
  return largest;
}

std::vector<double> read(const graph::Graph& graph, graph::ValueId id) {
  const auto span = graph.value(id).constant->span<float>();
  return {span.begin(), span.end()};
}

void write(graph::Graph& graph, graph::ValueId id, const std::vector<double>& values) {
  const std::span<float> out = graph.mutable_constant(id).span<float>();
  for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<float>(values[i]);
}

Layers load(const graph::Graph& graph, const std::vector<Pair>& pairs) {
  Layers layers;
  for (const Pair& pair : pairs)
    for (const graph::NodeId id : {pair.parent, pair.child}) {
      if (layers.contains(id)) continue;
      const graph::Node& node = graph.node(id);
      Layer layer;
      layer.weights = read(graph, node.inputs.at(1));
      if (node.inputs.size() > 2) layer.biases = read(graph, node.inputs[2]);
      layer.outputs = graph.value(node.outputs.at(0)).type.shape.c();
      layer.row = static_cast<int64_t>(layer.weights.size()) / layer.outputs;
      layers.emplace(id, std::move(layer));
    }
  return layers;
}

/// Gives output channel c of a layer and the weights that read it the same largest magnitude:
///   W_P[c], b_P[c] *= sqrt(r1 r2) / r1      W_C[.., c] *= sqrt(r1 r2) / r2
/// for Conv or Fc with one reader that is a Conv or Fc; between them nothing, or a rectifier (leaky too),
/// pools and paddings: layers that a positive factor a channel passes unchanged. A clamp with another bound
/// ends the pair. Sweeps over all pairs until max |r1 / r2 - 1| < 1e-3, at most 50 times; the distance is
/// taken before a sweep, so that a second run changes nothing. Source: spec quantization 3.3, W9; Nagel et
/// al. 2019, section 4.1.
class EqualizeCrossLayer final : public Pass {
 public:
  std::string_view name() const override { return "equalize_cross_layer"; }
  std::string_view summary() const override { return "evens out the weight ranges of consecutive layers"; }
  int run(graph::Graph& graph, const PassContext&) const override {
    const std::vector<Pair> pairs = find_pairs(graph);
    Layers layers = load(graph, pairs);
    int sweeps = 0;
    for (; sweeps < kMaxSweeps && largest_distance(graph, layers, pairs) >= kTolerance; ++sweeps)
      for (const Pair& pair : pairs)
        for (int64_t c = 0; c < layers.at(pair.parent).outputs; ++c) scale(graph, layers, pair, c);
    if (sweeps == 0) return 0;
    for (const auto& [id, layer] : layers) {
      write(graph, own_constant(graph, id, 1), layer.weights);
      if (!layer.biases.empty()) write(graph, own_constant(graph, id, 2), layer.biases);
    }
    return static_cast<int>(pairs.size());
  }
};

}  // namespace

void register_equalize_cross_layer(PassRegistry& registry);
void register_equalize_cross_layer(PassRegistry& registry) {
  register_pass<EqualizeCrossLayer>(registry);
}

}  // namespace n2d2::passes
