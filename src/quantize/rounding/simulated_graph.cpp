#include "simulated_graph.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/graph/integer_form.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/passes/own_constant.hpp"

#include "integers/real_values.hpp"
#include "scales/assign_scales.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

constexpr int kMostBits = 16;

/// Integers of a constant times their scales, one for each index of the first axis or one in all.
Tensor reals_of(const graph::Value& value) {
  const Tensor& integers = *value.constant;
  const QuantParams& quant = *value.type.quant;
  const std::vector<double> steps = real_values(integers, {quant.bits, quant.is_signed, -1, {1}});
  Tensor out(integers.shape());
  const size_t row = steps.size() / static_cast<size_t>(integers.shape()[0]);
  for (size_t i = 0; i < steps.size(); ++i) {
    const float scale = quant.scale.size() == 1 ? quant.scale[0] : quant.scale.at(i / row);
    out.data<float>()[i] = static_cast<float>(steps[i] * static_cast<double>(scale));
  }
  return out;
}

/// Biases without what they have of the zero points of input and output. Those of one kind of border tell.
Tensor biases_of(const graph::Graph& integers, const graph::Node& made) {
  const graph::Value& value = integers.value(made.inputs.at(2));
  const QuantParams& quant = *value.type.quant;
  const QuantParams& in = *integers.value(made.inputs.at(0)).type.quant;
  const QuantParams& from = *integers.value(made.outputs.at(0)).type.quant;
  const int64_t outputs = value.constant->shape()[value.constant->shape().rank() - 1];
  std::vector<double> sums = real_values(*value.constant, {quant.bits, quant.is_signed, -1, {1}});
  std::vector<int64_t> inside(static_cast<size_t>(outputs));
  if (in.zero_point != 0)
    inside = graph::integer_form(integers, made).inside_sums(*integers.value(made.inputs.at(1)).constant)[0];
  Tensor out(Shape{outputs});
  for (size_t o = 0; o < static_cast<size_t>(outputs); ++o) {
    const auto scale = static_cast<double>(quant.scale.size() == 1 ? quant.scale[0] : quant.scale.at(o));
    const double bias = scale * (sums[o] + in.zero_point * static_cast<double>(inside[o]));
    out.data<float>()[o] = static_cast<float>(bias - from.zero_point * static_cast<double>(from.scale.at(0)));
  }
  return out;
}

void take_constants(graph::Graph& out, NodeId node, const graph::Graph& integers) {
  const graph::Node& made = integers.node(integers.find_node(out.node(node).name).value());
  for (size_t slot = 1; slot < std::min<size_t>(out.node(node).inputs.size(), 3); ++slot) {
    const graph::Value& value = integers.value(made.inputs.at(slot));
    if (!value.type.quant) continue;
    out.set_constant(passes::own_constant(out, node, slot),
                     slot == 1 ? reals_of(value) : biases_of(integers, made));
  }
}

void round_value(graph::Graph& out, ValueId id, const QuantParams& quant) {
  if (quant.bits > kMostBits || quant.zero_point != std::floor(quant.zero_point)) return;
  ops::FakeQuantize op;
  op.scale = {static_cast<double>(quant.scale.at(0))};
  op.zero_point = {static_cast<int>(quant.zero_point)};
  op.bits = quant.bits, op.is_signed = quant.is_signed;
  const std::vector<graph::Use> uses = out.value(id).uses;
  for (const graph::Use use : uses)
    out.insert_before(use, op.clone(), out.unique_name(out.value(id).name + "_rounded"));
}

}  // namespace

graph::Graph simulated_graph(const graph::Graph& floats, const graph::Graph& integers) {
  graph::Graph out = floats;
  for (const NodeId id : floats.schedule()) {
    const graph::Node& node = floats.node(id);
    // Values of fewer bits than their integers end where their layer ends them.
    if (const auto made = integers.find_node(node.name)) out.set_clamp(id, integers.node(*made).clamp);
    if (!graph::integer_form(floats, node).weighted) continue;
    take_constants(out, id, integers);
  }
  for (const ValueId id : floats.values()) {
    if (floats.value(id).is_constant() || !has_own_threshold(floats, id)) continue;
    const auto made = integers.find_value(floats.value(id).name);
    if (made && integers.value(*made).type.quant) round_value(out, id, *integers.value(*made).type.quant);
  }
  return out;
}

}  // namespace n2d2::quantize
