// What does a sum do to each of its operands?
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

inline int is_signed(DataType type) {
  return type == DataType::I8 || type == DataType::I16 ? 1 : 0;
}

}  // namespace n2d2::targets::cpp
