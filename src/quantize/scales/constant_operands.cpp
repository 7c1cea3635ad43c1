#include "constant_operands.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/ops/elemwise.hpp"
#include "n2d2/passes/own_constant.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

namespace {

template <class T>
Tensor rounded_as(const Tensor& reals, const QuantParams& quant) {
  Tensor out(reals.shape(), data_type_of<T>());
  const double step = quant.threshold_of() / static_cast<double>(quant.full_scale());
  const auto lowest = static_cast<double>(quant.lowest()), highest = static_cast<double>(quant.highest());
  std::transform(reals.span<float>().begin(), reals.span<float>().end(), out.data<T>(), [&](float real) {
    return static_cast<T>(std::clamp(std::nearbyint(static_cast<double>(real) / step), lowest, highest));
  });
  return out;
}

Tensor integers_of(const Tensor& reals, const QuantParams& quant) {
  switch (integer_type(quant.bits, quant.is_signed)) {
    case DataType::U8:
      return rounded_as<uint8_t>(reals, quant);
    case DataType::I8:
      return rounded_as<int8_t>(reals, quant);
    case DataType::U16:
      return rounded_as<uint16_t>(reals, quant);
    default:
      return rounded_as<int16_t>(reals, quant);
  }
}

}  // namespace

bool is_sum_with_constant(const graph::Node& node) {
  const auto* op = graph::as<ops::ElemWise>(node);
  return op != nullptr && op->operation == ops::ElemWiseOperation::Sum && op->weights.empty() &&
         op->shifts.empty() && op->constants_from == 1 && node.inputs.size() == 2;
}

Clamp reach_of_operand(const Scale& data, const Scale& sum) {
  const auto reals = [](const Scale& scale) {
    const QuantParams quant = scale.quant_params();
    const double step = scale.step();
    return std::pair((static_cast<double>(quant.lowest()) - scale.zero_point) * step,
                     (static_cast<double>(quant.highest()) - scale.zero_point) * step);
  };
  const auto [data_low, data_high] = reals(data);
  const auto [sum_low, sum_high] = reals(sum);
  // A step more: each input of a sum is rounded by itself.
  const double low = sum_low - data_high - sum.step(), high = sum_high - data_low + sum.step();
  return {static_cast<float>(low), static_cast<float>(high)};
}

Scale scale_of_operand(const graph::Value& operand, const Scale& data, const Options& options) {
  Scale out;
  out.bits = data.bits;
  out.source = "constant";
  const std::optional<QuantParams>& given = operand.type.quant;
  if (given && given->axis == -1 && given->bits == data.bits && given->zero_point == 0) {
    out.is_signed = given->is_signed;
    out.threshold = given->threshold_of();
    out.is_given = true;
    return out;
  }
  const std::span<const float> values = operand.constant->span<float>();
  for (const float value : values)
    out.threshold = std::max(out.threshold, std::abs(static_cast<double>(value)));
  if (out.threshold == 0) out.threshold = 1;
  const bool has_both_signs =
      std::any_of(values.begin(), values.end(), [](float value) { return value < 0; });
  out.is_signed = has_both_signs || !options.allow_unsigned;
  return out;
}

std::pair<graph::ValueId, Scale> quantize_operand(graph::Graph& graph, graph::NodeId node, size_t slot,
                                                  const Scale& data, const Scale& out,
                                                  const Options& options) {
  const graph::ValueId operand = passes::own_constant(graph, node, slot);
  if (is_sum_with_constant(graph.node(node)) && !graph.value(operand).type.quant) {
    const Clamp reach = reach_of_operand(data, out);
    Tensor bounded = *graph.value(operand).constant;
    for (float& value : bounded.span()) value = std::clamp(value, reach.lo, reach.hi);
    graph.set_constant(operand, std::move(bounded), {});
  }
  const Scale scale = scale_of_operand(graph.value(operand), data, options);
  const QuantParams quant = scale.quant_params();
  graph.set_constant(operand, integers_of(*graph.value(operand).constant, quant), quant);
  return {operand, scale};
}

}  // namespace n2d2::quantize
