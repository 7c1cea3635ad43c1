// Which real number does the integer stand for that is nearest to a number?
#pragma once

#include <algorithm>
#include <cmath>

#include "n2d2/tensor/integer_types.hpp"
#include "n2d2/tensor/quant_params.hpp"

namespace n2d2::quantize {

/// Values of more bits than that are taken as they are: they leave the network as sums.
inline constexpr int kMostGridBits = 2 * kBitsOfByte;

/// The integer nearest to `x`, ties to even, without regard of the bounds.
inline double nearest_integer(double x, const QuantParams& quant) {
  return std::nearbyint(x / static_cast<double>(quant.scale.at(0))) + quant.zero_point;
}

/// The multiple of the step that integers have for `x`; x where they are wide.
inline double on_grid(double x, const QuantParams& quant) {
  if (quant.bits > kMostGridBits) return x;
  const double integer = std::clamp(nearest_integer(x, quant), static_cast<double>(quant.lowest()),
                                    static_cast<double>(quant.highest()));
  return static_cast<double>(quant.scale.at(0)) * (integer - quant.zero_point);
}

}  // namespace n2d2::quantize
