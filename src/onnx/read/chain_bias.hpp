// Which bias makes rounding to the nearest what rounding down is, for all sums of a layer?
#pragma once

#include <cstdint>

namespace n2d2::onnx {

/// y = floor((k s + l) / d) for whole sums s within +-most, clamped to lowest..highest. k, d >= 1.
struct Flooring {
  int64_t k = 1, l = 0, d = 1;
  int64_t lowest = 0, highest = 0;
  int64_t most = 0;
  /// No result that a sum reaches exactly may be missed, even if others are then: averages of equal values.
  bool keeps_multiples = false;
};

/// A bias in parts of the unit of the sums.
struct ChainBias {
  int64_t parts = 0;
  bool is_exact = false;
  /// How far a result is moved at most before it is rounded, in its steps; 0 where all results are equal.
  double moved = 0;
};

/// y' = nearest((s + parts / m) k / d), where each integer of the weights is m times as large, and float32
/// computes the factor and the product. y' = y for all s exactly where the bias is exact: y reaches n at the
/// sum T_n = ceil((n d - l) / k), so y' has to reach it there, not at T_n - 1. With r_n = k T_n - n d + l,
/// this is an interval for the bias, less what float32 is wrong by:
///   from (l - d / 2 - min r_n) / k on, up to (l - d / 2 + k - max r_n) / k.
/// Where no part lies in it, the one nearest to its place in real numbers is taken.
ChainBias bias_of(const Flooring& flooring, int64_t m);

}  // namespace n2d2::onnx
