// Which factors are one or two shifts?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "n2d2/tensor/quant_params.hpp"

namespace n2d2::quantize {

/// Terms of a factor: 1 in Single-shift, 2 in Double-shift, 0 in the other modes.
int shift_terms(RescaleMode mode);

/// A sum of up to `terms` powers of two, none below 2^-30, that stands for `factor` in (0, 1]: never less
/// than 0.98 of it, and less than twice of it unless it is below 2^-30.
double shifted_factor(double factor, int terms);

/// An accumulator's bound times a multiplier stays below it: 2^62, so that the rounding term still fits 64
/// bits.
inline constexpr double kProductLimit = 4611686018427387904.0;

/// Such factors as multipliers m of one shift f, m = factor * 2^f, exact: (x m + h) >> f, h = 2^(f-1), is
/// then what shifting x by each term's exponent, adding and rounding half up gives. Factors may be off by
/// what doubles round. Empty when one is no sum of so many powers, or accumulator_bound * m may reach 2^62.
struct Multipliers {
  std::vector<int32_t> multiplier;
  int shift = 0;
};
std::optional<Multipliers> shift_multipliers(const std::vector<double>& factors, int terms,
                                             double accumulator_bound);

}  // namespace n2d2::quantize
