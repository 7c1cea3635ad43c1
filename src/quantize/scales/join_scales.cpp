#include "join_scales.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "n2d2/base/log.hpp"

#include "insert_rescaling.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ScaleOf;
using graph::ValueId;

bool is_equal(const Scale& a, const Scale& b) {
  return a.threshold == b.threshold && a.is_signed == b.is_signed && a.bits == b.bits &&
         a.zero_point == b.zero_point;
}

/// Whether a value loses little at the target: nothing is clipped, and its steps stay about as fine.
bool loses_little(const Scale& now, const Scale& target) {
  return target.threshold >= now.threshold && (target.is_signed || !now.is_signed) &&
         target.step() <= kMostCoarser * now.step() && target.zero_point == now.zero_point;
}

/// Returns the scale that the branches of a node share: the largest threshold, signed if one branch is, and
/// the zero point if all have it. The scale counts as given by the model where all branches came with this
/// one scale.
Scale joined(const graph::Node& node, const Scales& scales) {
  Scale out = scales.at(node.inputs.at(0));
  bool is_one = out.is_given, has_one_zero = true;
  for (const ValueId input : node.inputs) {
    const Scale& branch = scales.at(input);
    has_one_zero = has_one_zero && branch.zero_point == out.zero_point;
    is_one =
        is_one && branch.is_given && branch.threshold == out.threshold && branch.is_signed == out.is_signed;
    out.threshold = std::max(out.threshold, branch.threshold);
    out.is_signed = out.is_signed || branch.is_signed;
  }
  if (!has_one_zero) {
    is_one = false;
    out.zero_point = 0;
    out.is_signed = true;
  }
  out.is_given = is_one;
  out.source = is_one ? "model" : "join";
  return out;
}

class Joins {
 public:
  Joins(graph::Graph& graph, Scales& scales) : graph_(graph), scales_(scales) {}

  void run() {
    propagate();
    unify();
    const std::vector<NodeId> order = last_first();  // an outer concatenation decides for an inner one
    for (const NodeId id : order)
      if (scale_of(id) == ScaleOf::Own || scale_of(id) == ScaleOf::Shared) settle(output(id));
    for (const NodeId id : order)
      if (scale_of(id) == ScaleOf::Shared) bring_branches(id);
  }

 private:
  /// A value and what layers that only move integers make of it: one scale.
  struct Family {
    std::vector<ValueId> values;
    std::vector<NodeId> joins;  ///< concatenations that read one of them
    bool has_others = false;    ///< somebody else does, or it leaves the graph
    bool is_given = false;
  };

  ScaleOf scale_of(NodeId id) const { return graph::integer_form(graph_, graph_.node(id)).scale; }
  ValueId output(NodeId id) const { return graph_.node(id).outputs.at(0); }
  Scale& scale_at(NodeId join) { return scales_.at(output(join)); }

  std::vector<NodeId> last_first() const {
    std::vector<NodeId> order = graph_.schedule();
    std::reverse(order.begin(), order.end());
    return order;
  }

  void propagate() {
    for (const NodeId id : graph_.schedule()) {
      const graph::Node& node = graph_.node(id);
      const ScaleOf scale = scale_of(id);
      for (const ValueId out : node.outputs) {
        if (scale == ScaleOf::OfInput) {
          scales_.at(out) = scales_.at(node.inputs.at(0));
          scales_.at(out).source = "input";
        }
        if (scale == ScaleOf::Shared) scales_.at(out) = joined(node, scales_);
      }
    }
  }

  /// The value that layers which only move integers made this one of.
  ValueId root(ValueId value) const {
    for (NodeId producer = graph_.value(value).producer; producer && scale_of(producer) == ScaleOf::OfInput;
         producer = graph_.value(value).producer)
      value = graph_.node(producer).inputs.at(0);
    return value;
  }

  Family family(ValueId root) const {
    Family out;
    out.values.push_back(root);
    for (size_t i = 0; i < out.values.size(); ++i) {
      const graph::Value& value = graph_.value(out.values[i]);
      out.is_given = out.is_given || scales_.at(value.id).is_given;
      out.has_others = out.has_others || graph_.is_output(value.id);
      for (const graph::Use& use : value.uses) {
        const ScaleOf scale = scale_of(use.node);
        if (scale == ScaleOf::OfInput)
          out.values.push_back(output(use.node));
        else if (scale == ScaleOf::Shared)
          out.joins.push_back(use.node);
        else
          out.has_others = true;
      }
    }
    return out;
  }

  /// From the coarsest on, concatenations that share branches with it, and with those, take its scale.
  void unify() {
    std::vector<NodeId> joins;
    for (const NodeId id : graph_.schedule())
      if (scale_of(id) == ScaleOf::Shared) joins.push_back(id);
    std::stable_sort(joins.begin(), joins.end(),
                     [&](NodeId a, NodeId b) { return scale_at(a).step() > scale_at(b).step(); });
    std::set<NodeId> done;
    for (const NodeId first : joins) {
      if (!done.insert(first).second) continue;
      const Scale target = scale_at(first);
      std::vector<NodeId> reached{first};
      for (size_t i = 0; i < reached.size(); ++i)
        for (const NodeId other : neighbours(reached[i])) {
          if (scale_at(other).is_given || !loses_little(scale_at(other), target)) continue;
          if (!done.insert(other).second) continue;
          take(family(output(other)), target);
          reached.push_back(other);
        }
    }
  }

  std::vector<NodeId> neighbours(NodeId join) const {
    std::vector<NodeId> out;
    for (const ValueId input : graph_.node(join).inputs) {
      const std::vector<NodeId> readers = family(root(input)).joins;
      out.insert(out.end(), readers.begin(), readers.end());
    }
    return out;
  }

  void take(const Family& family, Scale target) {
    target.is_given = false;
    target.source = "join";
    for (const ValueId id : family.values) scales_.at(id) = target;
  }

  void settle(ValueId value) {
    const Family all = family(value);
    if (all.joins.empty() || all.is_given) return;
    const auto finest = std::min_element(all.joins.begin(), all.joins.end(), [&](NodeId a, NodeId b) {
      return scale_at(a).step() < scale_at(b).step();
    });
    const Scale& now = scales_.at(value);
    const Scale target = scale_at(*finest);
    if (is_equal(now, target) || (all.has_others && !loses_little(now, target))) return;
    take(all, target);
  }

  /// Says which branches leave the scale that the model gave them.
  void report(const graph::Node& node) const {
    const Scale& out = scales_.at(node.outputs.at(0));
    for (const ValueId input : node.inputs)
      if (scales_.at(input).is_given && !out.is_given)
        log::warn("{}: branch '{}' comes with another scale or sign than its neighbours and is rounded again",
                  subject(node), graph_.value(input).name);
  }

  void bring_branches(NodeId id) {
    report(graph_.node(id));
    const Scale target = scale_at(id);
    for (size_t slot = 0; slot < graph_.node(id).inputs.size(); ++slot)
      bring({id, static_cast<int>(slot)}, target);
  }

  /// Makes the edge carry the target scale.
  void bring(graph::Use edge, const Scale& target) {
    const graph::Node& reader = graph_.node(edge.node);
    const ValueId value = reader.inputs.at(static_cast<size_t>(edge.slot));
    if (is_equal(scales_.at(value), target)) return;
    ValueId& brought = brought_[{value, target.threshold, target.is_signed, target.zero_point}];
    if (brought) {
      std::vector<ValueId> inputs = reader.inputs;
      inputs[static_cast<size_t>(edge.slot)] = brought;
      graph_.replace(edge.node, reader.op->clone(), std::move(inputs));
      return;
    }
    const std::string name = graph_.unique_name(graph_.value(value).name + "_rescale");
    const bool shifts = scales_.at(value).zero_point != 0 || target.zero_point != 0;
    brought = output(insert_rescaling(graph_, edge, name, shifts));
    scales_[brought] = target;
  }

  graph::Graph& graph_;
  Scales& scales_;
  std::map<std::tuple<ValueId, double, bool, double>, ValueId> brought_;
};

}  // namespace

void settle_joins(graph::Graph& graph, Scales& scales) {
  Joins(graph, scales).run();
}

}  // namespace n2d2::quantize
