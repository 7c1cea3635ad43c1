#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/reshape.hpp"

#include "channel_ratios.hpp"
#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// A bias counts as a weight that reads 1 / kBiasTaps: so many weights as large as the largest make as much
/// of an output.
/// Larger biases are those of channels whose weights have died.
constexpr double kBiasTaps = 64;

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

/// The layers of pairs, what is largest in each, and the factors that clear or scale their channels.
class Equalizer {
 public:
  explicit Equalizer(graph::Graph& graph) : graph_(graph) {
    for (const Pair& pair : find_pairs(graph)) {
      pairs_.push_back({place(pair.parent), place(pair.child)});
      layers_[pairs_.back().parent].is_parent = true;
      layers_[pairs_.back().child].channels = outputs(pair.parent);
    }
    for (const Layer& layer : layers_) magnitudes_.push_back(describe(layer));
    for (const LayerPair& pair : pairs_)
      up_.emplace_back(static_cast<size_t>(magnitudes_[pair.parent].outputs()), 1.0);
    down_ = up_;
  }

  /// Number of pairs; 0 when nothing changed.
  int run() {
    while (clear_dead()) {
    }
    const auto factors = channel_ratios(magnitudes_, pairs_);
    for (size_t p = 0; p < pairs_.size(); ++p)
      for (size_t c = 0; c < factors[p].size(); ++c) {
        up_[p][c] *= factors[p][c];
        down_[p][c] /= factors[p][c];
      }
    if (is_one(up_) && is_one(down_)) return 0;
    for (size_t l = 0; l < layers_.size(); ++l) apply(l);
    return static_cast<int>(pairs_.size());
  }

 private:
  struct Layer {
    graph::NodeId id;
    bool is_parent = false;
    int64_t channels = 0;  ///< that the parent makes; 0: it has none
  };
  using Factors = std::vector<std::vector<double>>;

  int64_t outputs(graph::NodeId id) const {
    return graph_.value(graph_.node(id).outputs.at(0)).type.shape.c();
  }

  size_t place(graph::NodeId id) {
    for (size_t l = 0; l < layers_.size(); ++l)
      if (layers_[l].id == id) return l;
    layers_.push_back({id});
    return layers_.size() - 1;
  }

  std::span<const float> constant(const Layer& layer, size_t slot) const {
    const graph::Node& node = graph_.node(layer.id);
    if (slot >= node.inputs.size()) return {};
    return graph_.value(node.inputs[slot]).constant->span<float>();
  }

  Magnitudes describe(const Layer& layer) const {
    const WeightIndices indices(graph_, graph_.node(layer.id), std::max<int64_t>(layer.channels, 1));
    const std::span<const float> weights = constant(layer, 1), biases = constant(layer, 2);
    const int64_t row = indices.row();
    Magnitudes m;
    m.groups = layer.channels > 0 ? indices.groups() : 1;
    m.columns = layer.channels > 0 ? layer.channels / m.groups : 1;
    m.rows = layer.is_parent ? indices.outputs() / m.groups : 1;
    m.values.resize(static_cast<size_t>(m.outputs() * m.columns));
    const auto take = [&](int64_t o, int64_t c, size_t first, int64_t count) {
      float& entry =
          m.row(layer.is_parent ? o : o * m.groups / indices.outputs())[static_cast<size_t>(c % m.columns)];
      for (size_t i = first; i < first + static_cast<size_t>(count); ++i)
        entry = std::max(entry, std::abs(weights[i]));
    };
    const auto take_output = [&](int64_t o) {
      if (layer.channels == 0) return take(o, 0, static_cast<size_t>(o * row), row);
      indices.for_output(o, [&](int64_t c, size_t first) { take(o, c, first, indices.taps()); });
    };
    if (layer.is_parent)
      parallel_for(indices.outputs(), [&](int64_t o, int) { take_output(o); });
    else
      for (int64_t o = 0; o < indices.outputs(); ++o) take_output(o);
    if (layer.is_parent)
      for (const float b : biases) m.biases.push_back(std::abs(double{b}) / kBiasTaps);
    return m;
  }

  /// A channel that one side does not use is of no use to the other: clears what is left of it; whether there
  /// was any. One that carries only its bias stays.
  bool clear_dead() {
    bool any = false;
    for (size_t p = 0; p < pairs_.size(); ++p) {
      Magnitudes &parent = magnitudes_[pairs_[p].parent], &child = magnitudes_[pairs_[p].child];
      for (int64_t c = 0; c < parent.outputs(); ++c) {
        const auto at = static_cast<size_t>(c);
        const bool is_made = has_any(parent.row(c)), is_read = reads(child, c);
        if (is_made && !is_read) {
          std::ranges::fill(parent.row(c), 0.0F);
          if (!parent.biases.empty()) parent.biases[at] = 0;
          up_[p][at] = 0;
        } else if (!is_made && is_read && (parent.biases.empty() || parent.biases[at] == 0)) {
          for (int64_t o = c / child.columns * child.rows; o < (c / child.columns + 1) * child.rows; ++o)
            child.row(o)[static_cast<size_t>(c % child.columns)] = 0;
          down_[p][at] = 0;
        } else {
          continue;
        }
        any = true;
      }
    }
    return any;
  }

  static bool has_any(std::span<const float> row) {
    return std::ranges::any_of(row, [](float w) { return w != 0; });
  }

  static bool reads(const Magnitudes& child, int64_t c) {
    const int64_t group = c / child.columns;
    for (int64_t o = group * child.rows; o < (group + 1) * child.rows; ++o)
      if (child.row(o)[static_cast<size_t>(c % child.columns)] != 0) return true;
    return false;
  }

  static bool is_one(const Factors& factors) {
    return std::ranges::all_of(
        factors, [](const auto& f) { return std::ranges::all_of(f, [](double x) { return x == 1; }); });
  }

  void apply(size_t l) {
    const std::vector<double>*up = nullptr, *down = nullptr;
    for (size_t p = 0; p < pairs_.size(); ++p) {
      if (pairs_[p].parent == l) up = &up_[p];
      if (pairs_[p].child == l) down = &down_[p];
    }
    const Layer& layer = layers_[l];
    const auto weights = graph_.mutable_constant(own_constant(graph_, layer.id, 1)).span<float>();
    const WeightIndices indices(graph_, graph_.node(layer.id), std::max<int64_t>(layer.channels, 1));
    const auto scale = [&](size_t first, int64_t count, double factor) {
      for (size_t i = first; i < first + static_cast<size_t>(count); ++i)
        weights[i] = scaled(weights[i], factor);
    };
    parallel_for(indices.outputs(), [&](int64_t o, int) {
      const double of_output = up ? (*up)[static_cast<size_t>(o)] : 1;
      if (!down) return scale(static_cast<size_t>(o * indices.row()), indices.row(), of_output);
      indices.for_output(o, [&](int64_t c, size_t first) {
        scale(first, indices.taps(), of_output * (*down)[static_cast<size_t>(c)]);
      });
    });
    if (!up || graph_.node(layer.id).inputs.size() < 3) return;
    const auto biases = graph_.mutable_constant(own_constant(graph_, layer.id, 2)).span<float>();
    for (size_t o = 0; o < biases.size(); ++o) biases[o] = scaled(biases[o], (*up)[o]);
  }

  static float scaled(float value, double factor) {
    return static_cast<float>(static_cast<double>(value) * factor);
  }

  graph::Graph& graph_;
  std::vector<Layer> layers_;
  std::vector<LayerPair> pairs_;
  std::vector<Magnitudes> magnitudes_;
  Factors up_, down_;  // of each pair
};

/// Gives output channel c of a layer and the weights that read it the same largest magnitude:
///   W_P[c], b_P[c] *= s_c   W_C[.., c] /= s_c   max(|W_P[c]|, |b_P[c]| / 64) s_c = max |W_C[.., c]| / s_c
/// for Conv or Fc with one reader that is a Conv or Fc; between them nothing, or a rectifier (leaky too),
/// pools and paddings: layers that a positive factor a channel passes unchanged. A clamp with another bound
/// ends the pair. channel_ratios() finds the factors of all pairs together; a second run changes nothing,
/// but where a factor is at its bound.
/// The bias keeps a channel whose weights have died from growing beyond what the others reach.
/// Source: Nagel et al. 2019, section 4.1.
class EqualizeCrossLayer final : public Pass {
 public:
  std::string_view name() const override { return "equalize_cross_layer"; }
  std::string_view summary() const override { return "evens out the weight ranges of consecutive layers"; }
  int run(graph::Graph& graph, const PassContext&) const override { return Equalizer(graph).run(); }
};

}  // namespace

void register_equalize_cross_layer(PassRegistry& registry);
void register_equalize_cross_layer(PassRegistry& registry) {
  register_pass<EqualizeCrossLayer>(registry);
}

}  // namespace n2d2::passes
