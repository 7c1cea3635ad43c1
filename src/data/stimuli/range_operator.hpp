// Which arithmetic do steps do with values?
#pragma once

#include <array>

#include "n2d2/base/fields.hpp"

namespace n2d2::data {

enum class RangeOperator { Plus, Minus, Multiplies, Divides };

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::RangeOperator> {
  static constexpr std::array names{"Plus", "Minus", "Multiplies", "Divides"};
};

namespace n2d2::data {

inline double compute(double x, RangeOperator op, double value) {
  switch (op) {
    case RangeOperator::Plus:
      return x + value;
    case RangeOperator::Minus:
      return x - value;
    case RangeOperator::Multiplies:
      return x * value;
    case RangeOperator::Divides:
      break;
  }
  return x / value;
}

}  // namespace n2d2::data
