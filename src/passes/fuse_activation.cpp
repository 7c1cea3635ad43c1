#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "n2d2/ops/elemwise.hpp"
#include "n2d2/tensor/interval.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

using graph::IntegerForm;
using graph::ScaleOf;

/// Layers that compute each output and can bound it on the way out. An ElemWise can, too, where it has no
/// integers.
bool computes(const graph::Node& node, const IntegerForm& form) {
  return (form.scale == ScaleOf::Own && !form.clamp && !form.feeds_back) || graph::as<ops::ElemWise>(node);
}

/// Layers that only choose among values: a clamp, being monotone, may act before instead of after. Zeros that
/// the layer writes must be left alone by the clamp; any other number that it writes stays as it is.
bool chooses(const IntegerForm& form, bool keeps_zero) {
  return (form.scale == ScaleOf::OfInput || form.scale == ScaleOf::Shared) &&
         (!form.adds_zeros || keeps_zero) && !form.table;
}

/// Where clamps go: each value and each node is looked at once, however long the chains are.
class Clamps {
 public:
  explicit Clamps(graph::Graph& graph) : graph_(graph) {}

  /// To be asked of every node in the order of the schedule, after those before it were absorbed or kept.
  void keep(const graph::Node& node) {
    const IntegerForm form = graph::integer_form(graph_, node);
    if (form.clamp) return;  // stays where it is, and what comes behind it, too
    for (const bool keeps_zero : {false, true}) {
      const bool passes = !node.clamp && chooses(form, keeps_zero) &&
                          std::all_of(node.inputs.begin(), node.inputs.end(),
                                      [&](graph::ValueId input) { return accepts(input, keeps_zero); });
      if (passes || computes(node, form)) taking_[keeps_zero].insert(node.id);
    }
  }

  /// Whether a clamp on this value can become part of what makes it; its only reader is the clamp.
  bool accepts(graph::ValueId id, const Clamp& clamp) const {
    return accepts(id, clamp.lo <= 0 && 0 <= clamp.hi);
  }
  /// The clamp acts on the value, after those that were put there before.
  void put(graph::ValueId id, const Clamp& clamp) {
    const auto [found, fresh] = wanted_.try_emplace(id, clamp);
    if (!fresh) found->second = compose(found->second, clamp);
  }

  /// Brings what was put to the layers that compute the values.
  void apply() {
    const std::vector<graph::NodeId> order = graph_.schedule();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const graph::Node& node = graph_.node(*id);
      const auto wanted = wanted_.find(node.outputs.at(0));
      if (wanted == wanted_.end()) continue;
      const Clamp clamp = wanted->second;
      if (computes(node, graph::integer_form(graph_, node)))
        graph_.set_clamp(node.id, node.clamp ? compose(*node.clamp, clamp) : clamp);
      else
        for (const graph::ValueId input : node.inputs) put(input, clamp);
    }
  }

 private:
  bool accepts(graph::ValueId id, bool keeps_zero) const {
    const graph::Value& value = graph_.value(id);
    return value.producer && graph_.has_single_use(id) && taking_[keeps_zero].contains(value.producer);
  }

  graph::Graph& graph_;
  std::array<std::set<graph::NodeId>, 2> taking_;  // clamps that do not keep 0, and those that do
  std::map<graph::ValueId, Clamp> wanted_;
};

/// Relu without leak and Saturation become Node::clamp of the layer they follow: Conv, Fc, ElemWise, average
/// Pool or Scaling with that single reader, also through layers that only move values or choose among them. A
/// second clamp narrows the first. Clamps that find no such layer stay nodes.
class FuseActivation final : public Pass {
 public:
  std::string_view name() const override { return "fuse_activation"; }
  std::string_view summary() const override {
    return "turns activations that are clamps into a bound of the layer before";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    Clamps clamps(graph);
    for (const graph::NodeId id : graph.schedule()) {
      const graph::Node& node = graph.node(id);
      std::optional<Clamp> clamp = graph::integer_form(graph, node).clamp;
      if (clamp && node.clamp) clamp = compose(*clamp, *node.clamp);
      const graph::ValueId input = node.inputs.at(0);
      if (!clamp || !clamps.accepts(input, *clamp)) {
        clamps.keep(node);
        continue;
      }
      clamps.put(input, *clamp);
      graph.bypass(id);
      ++rewrites;
    }
    clamps.apply();
    return rewrites;
  }
};

}  // namespace

void register_fuse_activation(PassRegistry& registry);
void register_fuse_activation(PassRegistry& registry) {
  register_pass<FuseActivation>(registry);
}

}  // namespace n2d2::passes
