// How is a function of a large sum of integers kept in a small table?
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "n2d2/graph/integers.hpp"

namespace n2d2::ops {

/// An entry for each sum below 128, then 64 entries for each octave. The value between two entries is on the
/// line between them, rounded down. Line and function x^-b differ by 2^-15 b (b + 1) of the value at most,
/// line and logarithm by 2^-15.
struct CurvePlace {
  int64_t entry = 0;  ///< the one at the sum or before it
  int64_t part = 0;   ///< what the sum is more, of 2^shift
  int shift = 0;
};
CurvePlace curve_place(int64_t sum);

/// Entries from that of `first` to the one behind that of `last`. `f` gets the sums and says what they are,
/// which is rounded, ties to even, and saturated at `lowest` and `highest`.
std::vector<int32_t> curve_of(int64_t first, int64_t last, double lowest, double highest,
                              const std::function<double(double)>& f);

/// The value at a sum; entry `begin` of the table is that of the sum `first`.
int64_t on_curve(const graph::Integers& table, int64_t begin, int64_t first, int64_t sum);

}  // namespace n2d2::ops
