#include "channel_sets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "n2d2/ops/reshape.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Union-find with the smallest member as representative.
class DisjointSets {
 public:
  size_t add(size_t count) {
    const size_t first = parent_.size();
    parent_.resize(first + count);
    std::iota(parent_.begin() + static_cast<std::ptrdiff_t>(first), parent_.end(), first);
    return first;
  }
  size_t find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void unite(size_t a, size_t b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

class Finder {
 public:
  explicit Finder(const graph::Graph& graph) : graph_(graph) {
    for (const ValueId id : graph.values()) {
      if (graph.value(id).is_constant()) continue;
      places_[id] = {value_sets_.add(1), channels_.add(static_cast<size_t>(channels(id)))};
      if (graph.is_output(id) || graph.value(id).type.quant) pinned_.push_back(id);
    }
    pinned_.insert(pinned_.end(), graph.inputs().begin(), graph.inputs().end());
    for (const NodeId id : graph.schedule()) see(graph.node(id));
  }

  std::vector<ChannelSet> sets() {
    std::map<size_t, ChannelSet> by_root;
    std::map<size_t, size_t> class_of;
    for (const auto& [id, place] : places_) {
      ChannelSet& set = by_root[value_sets_.find(place.value)];
      for (size_t c = 0; c < static_cast<size_t>(channels(id)); ++c) {
        const auto [found, is_new] = class_of.emplace(channels_.find(place.channel + c), set.classes);
        set.classes += is_new ? 1 : 0;
        set.values[id].push_back(found->second);
      }
    }
    for (auto& [root, set] : by_root) set.pinned.assign(set.classes, false);
    for (const ValueId id : pinned_) {
      ChannelSet& set = by_root.at(value_sets_.find(places_.at(id).value));
      for (const size_t k : set.values.at(id)) set.pinned[k] = true;
    }
    add_layers(by_root);
    std::vector<ChannelSet> out;
    for (auto& [root, set] : by_root) out.push_back(std::move(set));
    return out;
  }

 private:
  struct Place {
    size_t value = 0, channel = 0;  // the first of its channels
  };

  int64_t channels(ValueId id) const { return graph_.value(id).type.shape.c(); }

  void pin_all(const graph::Node& node) {
    for (const ValueId id : node.inputs)
      if (!graph_.value(id).is_constant()) pinned_.push_back(id);
    for (const ValueId id : node.outputs) pinned_.push_back(id);
  }

  void tie(ValueId a, int64_t channel_a, ValueId b, int64_t channel_b) {
    value_sets_.unite(places_.at(a).value, places_.at(b).value);
    channels_.unite(places_.at(a).channel + static_cast<size_t>(channel_a),
                    places_.at(b).channel + static_cast<size_t>(channel_b));
  }

  void tie_all(ValueId a, ValueId b, int64_t first_of_b = 0) {
    for (int64_t c = 0; c < channels(a); ++c) tie(a, c, b, first_of_b + c);
  }

  static bool scales_with_factor(const std::optional<Clamp>& clamp) {
    return !clamp || clamp->lo == 0 || clamp->lo == -kInf;
  }

  void see(const graph::Node& node) {
    const graph::IntegerForm form = graph::integer_form(graph_, node);
    const ValueId in = node.inputs.at(0), out = node.outputs.at(0);
    if (!scales_with_factor(node.clamp)) pinned_.push_back(out);
    if (form.weighted) {
      if (!graph_.value(node.inputs.at(1)).type.quant) return;
      return pin_all(node);
    }
    if (form.by_channel) return tie_all(in, out);
    if (form.scale == graph::ScaleOf::Shared) return see_join(node);
    if (form.adds == graph::Addends::Inputs) return see_sum(node, form);
    if (graph::as<ops::Reshape>(node)) return see_reshape(in, out);
    pin_all(node);
  }

  void see_join(const graph::Node& node) {
    int64_t first = 0;
    for (const ValueId branch : node.inputs) {
      tie_all(branch, node.outputs.at(0), first);
      first += channels(branch);
    }
  }

  /// Sums without repeated elements and constants, and what chooses among branches.
  void see_sum(const graph::Node& node, const graph::IntegerForm& form) {
    const ValueId out = node.outputs.at(0);
    const auto is_plain = [&](ValueId in) {
      return !graph_.value(in).is_constant() && graph_.value(in).type.shape == graph_.value(out).type.shape;
    };
    if (form.scale == graph::ScaleOf::None || !std::all_of(node.inputs.begin(), node.inputs.end(), is_plain))
      return pin_all(node);
    for (const ValueId in : node.inputs) tie_all(in, out);
  }

  /// Element (c, pixel) of the input is element c * pixels + pixel of the output.
  void see_reshape(ValueId in, ValueId out) {
    const Shape &from = graph_.value(in).type.shape, &to = graph_.value(out).type.shape;
    const int64_t from_pixels = from.h() * from.w(), to_pixels = to.h() * to.w();
    for (int64_t i = 0; i < from.c() * from_pixels; ++i) tie(in, i / from_pixels, out, i / to_pixels);
  }

  void add_layers(std::map<size_t, ChannelSet>& by_root) {
    const auto set_of = [&](ValueId id) -> ChannelSet& {
      return by_root.at(value_sets_.find(places_.at(id).value));
    };
    for (const NodeId id : graph_.schedule()) {
      const graph::Node& node = graph_.node(id);
      ChannelSet& set = set_of(node.outputs.at(0));
      if (node.clamp && node.clamp->hi < kInf) set.bounded.push_back(id);
      if (!graph::integer_form(graph_, node).weighted) continue;
      set.makers.push_back(id);
      set_of(node.inputs.at(0)).readers.push_back(id);
    }
  }

  const graph::Graph& graph_;
  std::map<ValueId, Place> places_;
  DisjointSets value_sets_, channels_;
  std::vector<ValueId> pinned_;
};

}  // namespace

std::vector<ChannelSet> channel_sets(const graph::Graph& graph) {
  return Finder(graph).sets();
}

}  // namespace n2d2::quantize
