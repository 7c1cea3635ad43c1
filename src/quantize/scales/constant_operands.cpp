#include "constant_operands.hpp"

#include <algorithm>
#include <cmath>

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
                                                  const Scale& data, const Options& options) {
  const graph::ValueId operand = passes::own_constant(graph, node, slot);
  const Scale scale = scale_of_operand(graph.value(operand), data, options);
  const QuantParams quant = scale.quant_params();
  graph.set_constant(operand, integers_of(*graph.value(operand).constant, quant), quant);
  return {operand, scale};
}

}  // namespace n2d2::quantize
