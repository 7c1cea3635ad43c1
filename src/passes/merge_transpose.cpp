#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/transpose.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// The Transpose that alone makes a value; null when something else does, or bounds or rescales it on the
/// way.
const graph::Node* transpose_before(const graph::Graph& graph, graph::ValueId value) {
  const graph::NodeId producer = graph.value(value).producer;
  if (!producer) return nullptr;
  const graph::Node& node = graph.node(producer);
  return graph::as<ops::Transpose>(node) && !node.clamp && !node.rescale ? &node : nullptr;
}

void erase_if_unused(graph::Graph& graph, graph::NodeId node) {
  const graph::ValueId out = graph.node(node).outputs.at(0);
  if (graph.value(out).uses.empty() && !graph.is_output(out)) graph.erase(node);
}

/// second(first(x)) is one Transpose of x, or x.
bool merge(graph::Graph& graph, graph::NodeId id) {
  const graph::Node& node = graph.node(id);
  const auto* second = graph::as<ops::Transpose>(node);
  const graph::Node* before = second ? transpose_before(graph, node.inputs.at(0)) : nullptr;
  if (before == nullptr) return false;
  const ops::Transpose both = second->after(*graph::as<ops::Transpose>(*before));
  const graph::NodeId first = before->id;
  graph.replace(id, std::make_unique<ops::Transpose>(both), {before->inputs.at(0)});
  if (both.is_identity() && !node.clamp && !node.rescale) graph.bypass(id);
  erase_if_unused(graph, first);
  return true;
}

/// An Fc multiplies a transposed map with its weights W: T x with W is x with the transpose of T applied to
/// each row.
bool fold(graph::Graph& graph, graph::NodeId id) {
  if (!graph::as<ops::Fc>(graph.node(id))) return false;
  const graph::Node* before = transpose_before(graph, graph.node(id).inputs.at(0));
  if (before == nullptr) return false;
  const auto& transpose = *graph::as<ops::Transpose>(*before);
  const graph::NodeId moved = before->id;
  const graph::ValueId source = before->inputs.at(0);
  const Shape in = graph.value(source).type.shape, out = graph.value(before->outputs.at(0)).type.shape;

  const graph::ValueId weights = own_constant(graph, id, 1);
  Tensor rows = *graph.value(weights).constant;
  const Shape shape = rows.shape();
  rows.reshape(out.with_batch(shape[0]));
  Tensor folded(in.with_batch(shape[0]));
  const Tensor* const gradient = &rows;
  Tensor* const result = &folded;
  transpose.backward({{}, {}, {&gradient, 1}, {&result, 1}, {}, nullptr});
  folded.reshape(shape);
  graph.set_constant(weights, std::move(folded), graph.value(weights).type.quant);

  std::vector<graph::ValueId> inputs = graph.node(id).inputs;
  inputs[0] = source;
  graph.replace(id, graph.op(id).clone(), std::move(inputs));
  erase_if_unused(graph, moved);
  return true;
}

/// A Transpose that moves no value is a Reshape.
bool flatten(graph::Graph& graph, graph::NodeId id) {
  const graph::Node& node = graph.node(id);
  const auto* transpose = graph::as<ops::Transpose>(node);
  if (transpose == nullptr || transpose->moves(graph.value(node.inputs.at(0)).type.shape)) return false;
  const Shape shape = graph.value(node.outputs.at(0)).type.shape;
  graph.replace(id, ops::reshape_to(shape), node.inputs);
  return true;
}

/// Two Transposes in a row become one, or none where they cancel; one in front of an Fc goes into its
/// weights; one that moves no value, such as height and width of one row exchanged, becomes a Reshape. Runs
/// after remove_identity, which takes a Reshape in front of an Fc away.
class MergeTranspose final : public Pass {
 public:
  std::string_view name() const override { return "merge_transpose"; }
  std::string_view summary() const override {
    return "joins Transposes in a row, folds one in front of an Fc into its weights, makes one that moves "
           "nothing a Reshape";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    // In schedule order a Transpose meets one that has taken in all before it; none is erased before its
    // turn.
    for (const graph::NodeId id : graph.schedule()) rewrites += merge(graph, id) || fold(graph, id) ? 1 : 0;
    for (const graph::NodeId id : graph.schedule()) rewrites += flatten(graph, id) ? 1 : 0;
    return rewrites;
  }
};

}  // namespace

void register_merge_transpose(PassRegistry& registry);
void register_merge_transpose(PassRegistry& registry) {
  register_pass<MergeTranspose>(registry);
}

}  // namespace n2d2::passes
