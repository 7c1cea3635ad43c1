#include "byte_layer.hpp"

#include "n2d2/base/text.hpp"

namespace n2d2::targets::cortexm {

bool is_byte(DataType type) {
  return type == DataType::U8 || type == DataType::I8;
}

std::optional<std::vector<int32_t>> shifted(const Rescale& rescale, int32_t least) {
  std::vector<int32_t> out;
  for (const int32_t m : rescale.multiplier) {
    int64_t wide = m;
    if (rescale.shift <= kShiftOfKernels) {
      wide *= int64_t{1} << (kShiftOfKernels - rescale.shift);
    } else {
      const int64_t unit = int64_t{1} << (rescale.shift - kShiftOfKernels);
      if (wide % unit != 0) return std::nullopt;
      wide /= unit;
    }
    if (wide > INT32_MAX || wide < least) return std::nullopt;
    out.push_back(static_cast<int32_t>(wide));
  }
  return out;
}

std::string refuses_bytes(const graph::Graph& graph, const graph::Node& node, int32_t least_multiplier) {
  const TensorType& in = graph.value(node.inputs.at(0)).type;
  const TensorType& out = graph.value(node.outputs.at(0)).type;
  if (!is_byte(in.dtype) || !is_byte(out.dtype)) return "its maps are no bytes";
  if (!node.rescale) return "it has no integers";
  const bool is_signed = out.dtype == DataType::I8;
  if (node.rescale->lo != (is_signed ? -128 : 0) || node.rescale->hi != (is_signed ? 127 : 255))
    return fmt::format("its outputs end at {} and {}, not where their type does", node.rescale->lo,
                       node.rescale->hi);
  if (!node.rescale->multiplier.empty() && !shifted(*node.rescale, least_multiplier))
    return fmt::format("its multipliers of shift {} are none of shift {}", node.rescale->shift,
                       kShiftOfKernels);
  return {};
}

std::vector<int32_t> biases_or_zeros(const graph::Graph& graph, const graph::Node& node, int outputs) {
  if (node.inputs.size() <= 2) return std::vector<int32_t>(static_cast<size_t>(outputs));
  const std::span<const int32_t> given = graph.value(node.inputs[2]).constant->span<int32_t>();
  return {given.begin(), given.end()};
}

void store_in_4_bits(program::Constant& weights, const std::vector<uint8_t>& fields) {
  weights.storage = {4, false};
  weights.fields = constant_of("fields", fields, false).data;
}

}  // namespace n2d2::targets::cortexm
