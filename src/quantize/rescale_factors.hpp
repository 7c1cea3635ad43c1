// Which numbers take an accumulator to an output integer?
#pragma once

#include <optional>
#include <vector>

#include "n2d2/tensor/quant_params.hpp"

#include "assign_scales.hpp"
#include "shift_factors.hpp"

namespace n2d2::quantize {

/// One real factor, as the modes want it: float32 computed in the order of spec quantization 8, and double.
struct Factor {
  float single = 1;
  double precise = 1;
};

/// S = s_in * s_w / s_out in float32, left to right; M = (T_in * s_w / T) * Qy / Qx in double.
Factor factor(const Scale& in, float weight_scale, double precise_weight_scale, const Scale& out);

/// The same for sums of which 1 stands for `unit`.
Factor factor(double unit, const Scale& out);

/// Bounds of the output integer, narrowed by the clamp: round(c * Q / T).
struct Bounds {
  int64_t lo = 0, hi = 0;
};
Bounds bounds(const Scale& out, const std::optional<Clamp>& clamp);

/// Multipliers m = round(M * 2^f) with one shift f >= 0, the largest for which max |m| <= `limit`, f <= 50
/// and accumulator_bound * max |m| < 2^62. Empty when there is no such f. Spec quantization 8.
std::optional<Multipliers> fixed_point(const std::vector<Factor>& factors, double accumulator_bound,
                                       double limit);

/// The Rescale of a node. Its mode is another one where factors have no such form: Fixed-point16 in place of shifts,
/// Fixed-point32 in place of that. ExportError naming the node when a factor has no fixed point at all.
Rescale make_rescale(const graph::Node& node, RescaleMode mode, const std::vector<Factor>& factors,
                     double accumulator_bound, const Bounds& bounds);

}  // namespace n2d2::quantize
