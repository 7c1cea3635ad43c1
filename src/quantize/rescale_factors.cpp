#include "rescale_factors.hpp"

#include <algorithm>
#include <cmath>

namespace n2d2::quantize {

namespace {
constexpr double kLargestMultiplier = 2147483647.0, kLargestMultiplier16 = 32767.0;
constexpr int kLargestShift = 50;
constexpr double kProductLimit = 4611686018427387904.0;  // 2^62

double largest_magnitude(const std::vector<Factor>& factors) {
  double largest = 0;
  for (const Factor& f : factors) largest = std::max(largest, std::abs(f.precise));
  return largest;
}

int64_t to_integer(double real, const Scale& out, int64_t lowest, int64_t highest) {
  const double q = std::round(real * out.full_scale() / out.threshold);
  return static_cast<int64_t>(std::clamp(q, static_cast<double>(lowest), static_cast<double>(highest)));
}
}  // namespace

Factor factor(const Scale& in, float weight_scale, double precise_weight_scale, const Scale& out) {
  const float product = in.scale() * weight_scale;
  const double ratio = in.threshold * precise_weight_scale / out.threshold;
  return {product / out.scale(), ratio * out.full_scale() / in.full_scale()};
}

Factor factor(double unit, const Scale& out) {
  const double precise = unit * out.full_scale() / out.threshold;
  return {static_cast<float>(precise), precise};
}

Bounds bounds(const Scale& out, const std::optional<Clamp>& clamp) {
  const QuantParams q = out.quant_params();
  if (!clamp) return {q.lowest(), q.highest()};
  return {to_integer(clamp->lo, out, q.lowest(), q.highest()),
          to_integer(clamp->hi, out, q.lowest(), q.highest())};
}

std::optional<Multipliers> fixed_point(const std::vector<Factor>& factors, double accumulator_bound,
                                       double limit) {
  const double largest = largest_magnitude(factors);
  if (largest == 0) return Multipliers{std::vector<int32_t>(factors.size(), 0), 0};
  int shift = std::min(std::ilogb(limit / largest), kLargestShift);
  const auto multiplier = [&](double m) { return std::round(std::ldexp(m, shift)); };
  while (shift >= 0 &&
         (multiplier(largest) > limit || accumulator_bound * multiplier(largest) >= kProductLimit))
    --shift;
  if (shift < 0) return std::nullopt;
  Multipliers out{{}, shift};
  for (const Factor& f : factors) out.multiplier.push_back(static_cast<int32_t>(multiplier(f.precise)));
  return out;
}

namespace {

/// The multipliers of the mode, or of the next one that has them; `mode` says which.
std::optional<Multipliers> multipliers(const std::vector<Factor>& factors, double accumulator_bound,
                                       RescaleMode& mode) {
  if (const int terms = shift_terms(mode); terms > 0) {
    std::vector<double> precise;
    for (const Factor& f : factors) precise.push_back(f.precise);
    if (auto shifts = shift_multipliers(precise, terms, accumulator_bound)) return shifts;
    mode = RescaleMode::FixedPoint16;
  }
  if (mode == RescaleMode::FixedPoint16)
    if (auto fixed = fixed_point(factors, accumulator_bound, kLargestMultiplier16)) return fixed;
  mode = RescaleMode::FixedPoint32;
  return fixed_point(factors, accumulator_bound, kLargestMultiplier);
}

}  // namespace

Rescale make_rescale(const graph::Node& node, RescaleMode mode, const std::vector<Factor>& factors,
                     double accumulator_bound, const Bounds& bounds) {
  Rescale rescale;
  rescale.mode = mode;
  rescale.lo = bounds.lo;
  rescale.hi = bounds.hi;
  if (mode == RescaleMode::FloatingPoint) {
    for (const Factor& f : factors) rescale.factor.push_back(f.single);
    return rescale;
  }
  std::optional<Multipliers> fixed = multipliers(factors, accumulator_bound, rescale.mode);
  if (!fixed)
    throw ExportError(
        fmt::format("{}: rescaling factor {:.6g} for accumulators up to {:.6g} does not fit Fixed-point32",
                    subject(node), largest_magnitude(factors), accumulator_bound),
        node.origin, "-act-rescaling-mode Floating-point has no such limit");
  rescale.multiplier = std::move(fixed->multiplier);
  rescale.shift = fixed->shift;
  return rescale;
}

}  // namespace n2d2::quantize
