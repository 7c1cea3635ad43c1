#include "n2d2/passes/declared_range.hpp"

namespace n2d2::passes {

namespace {

/// A value with a scale lies on its grid.
Clamp on_grid(const Clamp& range, const std::optional<QuantParams>& quant) {
  if (!quant) return range;
  const float step = quant->scale.at(0);
  const auto real = [&](int64_t q) {
    return static_cast<float>(static_cast<double>(q) - quant->zero_point) * step;
  };
  return compose(range, {real(quant->lowest()), real(quant->highest())});
}

}  // namespace

DeclaredRanges declared_ranges(const graph::Graph& graph, const Clamp& input) {
  DeclaredRanges ranges;
  for (const graph::ValueId id : graph.inputs()) ranges[id] = on_grid(input, graph.value(id).type.quant);
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    std::vector<Clamp> in;
    for (const graph::ValueId value : node.inputs)
      in.push_back(graph.value(value).is_constant() ? Clamp{} : ranges.at(value));
    std::vector<Clamp> out = node.op->range(in, graph::input_shapes(graph, node));
    out.resize(node.outputs.size());
    if (node.clamp) out[0] = compose(out[0], *node.clamp);
    for (size_t i = 0; i < out.size(); ++i)
      ranges[node.outputs[i]] = on_grid(out[i], graph.value(node.outputs[i]).type.quant);
  }
  return ranges;
}

}  // namespace n2d2::passes
