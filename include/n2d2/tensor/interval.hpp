// What is known of values that lie between two bounds? Arithmetic of intervals, which may be open to
// infinity.
#pragma once

#include <algorithm>

#include "n2d2/tensor/quant_params.hpp"

namespace n2d2 {

/// clamp(x, inner) followed by clamp(., outer), as one clamp.
inline Clamp compose(const Clamp& inner, const Clamp& outer) {
  return {std::min(std::max(inner.lo, outer.lo), outer.hi), std::min(std::max(inner.hi, outer.lo), outer.hi)};
}

/// The smallest interval that holds both.
inline Clamp unite(const Clamp& a, const Clamp& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// Factor times interval; 0 times infinity is 0.
inline Clamp times(double factor, const Clamp& range) {
  if (factor == 0) return {0, 0};
  const auto a = static_cast<float>(factor * range.lo), b = static_cast<float>(factor * range.hi);
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace n2d2
