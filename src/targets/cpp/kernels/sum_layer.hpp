// What does a sum, or another function of several maps, do to each of its operands?
#pragma once

#include "n2d2/ops/elemwise.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

/// int32_t in an integer network, else float.
template <class Factor>
Factor sum_multiplier(const graph::Node& sum, size_t operand) {
  if constexpr (std::is_same_v<Factor, float>)
    return static_cast<float>(graph::as<ops::ElemWise>(sum)->weight(operand, 0));
  else
    return sum.rescale->multiplier.at(operand);
}

/// The integer of an operand that stands for 0.
inline int zero_of_operand(const Site& site, size_t input) {
  const graph::ValueId id = site.node().inputs.at(input);
  const std::optional<QuantParams>& quant = site.program.graph.value(id).type.quant;
  return quant ? static_cast<int>(quant->zero_point) : 0;
}

inline int is_signed(DataType type) {
  return type == DataType::I8 || type == DataType::I16 ? 1 : 0;
}

}  // namespace n2d2::targets::cpp
