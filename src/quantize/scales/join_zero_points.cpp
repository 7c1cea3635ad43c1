#include "join_zero_points.hpp"

#include <algorithm>
#include <set>

#include "n2d2/quantize/wide_outputs.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ScaleOf;
using graph::ValueId;

/// Values that concatenations bring to one scale.
class Family {
 public:
  Family(const graph::Graph& graph, NodeId join) : graph_(graph) { add_join(join); }

  /// Values that layers compute, and inputs.
  const std::vector<ValueId>& roots() const { return roots_; }
  const std::set<NodeId>& joins() const { return joins_; }

 private:
  ScaleOf scale_of(NodeId id) const { return graph::integer_form(graph_, graph_.node(id)).scale; }

  void add_join(NodeId id) {
    if (!joins_.insert(id).second) return;
    for (const ValueId input : graph_.node(id).inputs) add(input);
    add(graph_.node(id).outputs.at(0));
  }

  void add(ValueId id) {
    if (!values_.insert(id).second) return;
    const NodeId producer = graph_.value(id).producer;
    const ScaleOf made = producer ? scale_of(producer) : ScaleOf::Own;
    if (made == ScaleOf::OfInput)
      add(graph_.node(producer).inputs.at(0));
    else if (made == ScaleOf::Shared)
      add_join(producer);
    else
      roots_.push_back(id);
    for (const graph::Use& use : graph_.value(id).uses) {
      const ScaleOf read = scale_of(use.node);
      if (read == ScaleOf::OfInput) add(graph_.node(use.node).outputs.at(0));
      if (read == ScaleOf::Shared) add_join(use.node);
    }
  }

  const graph::Graph& graph_;
  std::set<ValueId> values_;
  std::vector<ValueId> roots_;
  std::set<NodeId> joins_;
};

/// The scale that settle_joins() gives them.
Scale joined(const Scales& scales, const std::vector<ValueId>& roots) {
  Scale out = scales.at(roots.at(0));
  for (const ValueId id : roots) {
    out.threshold = std::max(out.threshold, scales.at(id).threshold);
    out.is_signed = out.is_signed || scales.at(id).is_signed;
  }
  return out;
}

}  // namespace

bool can_have_zero_point(const graph::Graph& graph, const Ranges& ranges, const Scales& scales, ValueId id,
                         Through through) {
  const Scale& scale = scales.at(id);
  const NodeId maker = graph.value(id).producer;
  return maker && !scale.is_given && scale.bits == kBitsOfByte && scale.reached_bits == 0 &&
         scale.threshold > 0 && makes_zero_point(graph::integer_form(graph, graph.node(maker))) &&
         histogram_of(graph, ranges, id) != nullptr && refuses_zero_point(graph, id, 0, through).empty();
}

void place_joined_zero_points(const graph::Graph& graph, const Ranges& ranges, const Options& options,
                              Scales& scales) {
  const std::set<ValueId> settled = values_of_sums(graph, options.output_bits);
  std::set<NodeId> done;
  for (const NodeId id : graph.schedule()) {
    if (graph::integer_form(graph, graph.node(id)).scale != ScaleOf::Shared || done.contains(id)) continue;
    const Family family(graph, id);
    done.insert(family.joins().begin(), family.joins().end());
    const std::vector<ValueId>& roots = family.roots();
    const bool may = std::all_of(roots.begin(), roots.end(), [&](ValueId root) {
      return !settled.contains(root) && can_have_zero_point(graph, ranges, scales, root, Through::Concats);
    });
    if (!may) continue;
    const Scale now = joined(scales, roots);
    if (!now.is_signed) continue;
    std::vector<Bin> bins;
    for (const ValueId root : roots) {
      const std::vector<Bin> own = bins_of(*histogram_of(graph, ranges, root));
      bins.insert(bins.end(), own.begin(), own.end());
    }
    std::stable_sort(bins.begin(), bins.end(),
                     [](const Bin& a, const Bin& b) { return a.centre < b.centre; });
    const Found found = best_grid(bins, [&](const Grid& grid) { return error_on(bins, grid); });
    if (found.error >= kClearly * error_on(bins, grid_of(now))) continue;
    for (const ValueId root : roots) set_grid(found.grid, options.allow_unsigned, scales.at(root));
  }
}

}  // namespace n2d2::quantize
