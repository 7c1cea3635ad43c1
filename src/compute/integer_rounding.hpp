// How does a sum become an integer? The definition of rounding in its own words: no line of it is shared with
// the kernels.
#pragma once

#include <optional>
#include <vector>

#include "n2d2/graph/integers.hpp"
#include "n2d2/tensor/quant_params.hpp"

namespace n2d2::compute {

/// Rounds as docs/make/integers.md ("Integer semantics") defines it:
///   - with factors: the sum as a float32, times the factor in float32, clamped to [lo, hi], the nearest
///   integer, ties to even;
///   - with multipliers: floor((sum * multiplier + 2^(shift - 1)) / 2^shift), without the half where shift is
///   0, clamped;
///   - `start` is added to a sum, or to the products of several inputs, first.
class DefinedRounding final : public graph::Rounding {
 public:
  /// No value: the node does not rescale, and asking for a rounding is an InternalError.
  explicit DefinedRounding(const std::optional<Rescale>& rescale) : rescale_(rescale) {}
  int64_t sum(int64_t sum, int64_t channel) const override;
  int64_t inputs(std::span<const int64_t> values) const override;

 private:
  const std::optional<Rescale>& rescale_;
};

}  // namespace n2d2::compute
