#include "shift_factors.hpp"

#include <algorithm>
#include <cmath>

namespace n2d2::quantize {

namespace {
/// Sums of 32 bits have nothing left behind it; multipliers of 32 bits have room for all shifts up to it.
constexpr int kMostShift = 30;
/// What is missing is made up by the weights; less than this is not worth a bit of them.
constexpr double kEnough = 0.98;
/// More than doubles round in a scale, less than a factor's last term may be.
constexpr double kShiftRounding = 1e-12;

double power_below(double x) {
  return std::ldexp(1, std::max(std::ilogb(x), -kMostShift));
}
}  // namespace

int shift_terms(RescaleMode mode) {
  if (mode == RescaleMode::SingleShift) return 1;
  return mode == RescaleMode::DoubleShift ? 2 : 0;
}

double shifted_factor(double factor, int terms) {
  double term = power_below(factor), sum = term;
  const bool has_more = factor - sum >= std::ldexp(1, -kMostShift) || sum < kEnough * factor;
  if (terms > 1 && has_more) {
    term = power_below(factor - sum);
    sum += term;
  }
  return sum >= kEnough * factor ? sum : sum + term;
}

std::optional<Multipliers> shift_multipliers(const std::vector<double>& factors, int terms,
                                             double accumulator_bound) {
  Multipliers out;
  std::vector<double> exact;
  for (const double f : factors) {
    if (!(f > 0)) return std::nullopt;
    exact.push_back(shifted_factor(f * (1 + kShiftRounding), terms));
    if (std::abs(exact.back() - f) > 2 * kShiftRounding * f) return std::nullopt;
    while (std::ldexp(exact.back(), out.shift) != std::floor(std::ldexp(exact.back(), out.shift)))
      ++out.shift;
  }
  for (const double f : exact) {
    const double multiplier = std::ldexp(f, out.shift);
    if (multiplier > std::ldexp(1, kMostShift) || accumulator_bound * multiplier >= kProductLimit)
      return std::nullopt;
    out.multiplier.push_back(static_cast<int32_t>(multiplier));
  }
  return out;
}

}  // namespace n2d2::quantize
