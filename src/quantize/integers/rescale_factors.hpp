// Which numbers take an accumulator to an output integer?
#pragma once

#include <optional>
#include <vector>

#include "n2d2/tensor/quant_params.hpp"

#include "channel_reach.hpp"
#include "scales/assign_scales.hpp"
#include "shift_factors.hpp"

namespace n2d2::quantize {

/// One real factor, as the modes want it: float32 computed in the order of the formulas, and double.
struct Factor {
  float single = 1;
  double precise = 1;
};

/// S = s_in * s_w / s_out in float32, left to right; M = (T_in * s_w / T) * Qy / Qx in double.
Factor factor(const Scale& in, float weight_scale, double precise_weight_scale, const Scale& out);

/// Computes the factor of sums of which 1 stands for the real number `unit`: M = unit * Qy / T in double,
/// S = M rounded to float32.
Factor factor(double unit, const Scale& out);

/// Bounds of the output integer, narrowed by the clamp: round(c * Q / T).
struct Bounds {
  int64_t lo = 0, hi = 0;
};
Bounds bounds(const Scale& out, const std::optional<Clamp>& clamp);

/// What the factors of a node multiply.
struct Sums {
  /// Largest magnitude of all.
  double bound = 0;
  /// Interval of the sums that each factor multiplies; a single interval counts for all factors. Empty where
  /// products are added before they are rounded: no factor is judged by itself then.
  std::vector<Interval> reach = {};
};

/// Multipliers m = round(M * 2^f) with one shift f >= 0, the largest for which max |m| <= `limit`,
/// f <= `most_shift` and sums.bound * max |m| < 2^62. With y(x) = clamp(floor(x M + 1/2), lo, hi), two
/// kinds of factors have other m that give the same integers:
///   constant   y is the same at both ends of what the sums can be and, being monotone, everywhere between.
///              What m gives is monotone as well: where it gives this at both ends, it does everywhere.
///              Such factors take no part in the choice of f, and m is the nearest there is; one whose m
///              gives something else does take part.
///   saturated  |M| > K = max(-lo, hi) + 1: y is lo, hi or, for x = 0, clamp(0), for sums are integers. K
///              gives the same and replaces |M| where `saturates` says so.
/// Empty when there is no such f.
struct FixedPoint {
  Multipliers multipliers;
  /// How many m are not round(M * 2^f).
  int64_t limited = 0;
};
std::optional<FixedPoint> fixed_point(const std::vector<Factor>& factors, const Sums& sums,
                                      const Bounds& bounds, double limit, bool saturates,
                                      int most_shift = kMostShift);

/// Whether all sums of the interval become the same integer; which one.
std::optional<int64_t> constant_output(double factor, const Interval& sums, const Bounds& bounds);

/// The Rescale of a node, and how many of its multipliers are not those of their factors, which changes no
/// integer.
struct MadeRescale {
  Rescale rescale;
  int64_t limited = 0;
};

/// Its mode is another one where factors have no such form: Fixed-point16 in place of shifts, Fixed-point32
/// in place of that.
/// ExportError naming node and channel when a factor has no fixed point at all.
MadeRescale make_rescale(const graph::Node& node, RescaleMode mode, const std::vector<Factor>& factors,
                         const Sums& sums, const Bounds& bounds, int most_shift = kMostShift);

}  // namespace n2d2::quantize
