#include "rescale_factors.hpp"

#include <algorithm>
#include <cmath>

namespace n2d2::quantize {

namespace {
constexpr double kLargestMultiplier = 2147483647.0, kLargestMultiplier16 = 32767.0;
/// Largest exponent of a multiplier that is a power of two.
constexpr int kLargestPower = 30;
/// More than a product of doubles rounds; what is nearer to a tie is on both sides of it.
constexpr double kSlack = 1e-12;

int64_t to_integer(double real, const Scale& out, int64_t lowest, int64_t highest) {
  const double q = std::round(real * out.full_scale() / out.threshold) + out.zero_point;
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

std::optional<int64_t> constant_output(double factor, const Interval& sums, const Bounds& bounds) {
  if (!std::isfinite(sums.lo) || !std::isfinite(sums.hi)) return std::nullopt;
  const double a = factor * sums.lo, b = factor * sums.hi;
  const auto rounded_to = [&](double x, double slack) {
    const double near = x + std::abs(x) * slack;
    return std::clamp(std::floor(near + 0.5), static_cast<double>(bounds.lo), static_cast<double>(bounds.hi));
  };
  const double lowest = rounded_to(std::min(a, b), -kSlack), highest = rounded_to(std::max(a, b), kSlack);
  if (lowest != highest) return std::nullopt;
  return static_cast<int64_t>(lowest);
}

namespace {

/// Whether a multiplier makes this integer of both ends of the sums, and so of all between.
bool gives(int64_t constant, int32_t multiplier, int shift, const Interval& sums, const Bounds& bounds) {
  const auto at = [&](double end) {
    return rounded(static_cast<int64_t>(end), multiplier, shift, bounds.lo, bounds.hi);
  };
  return at(sums.lo) == constant && at(sums.hi) == constant;
}

/// The f of fixed_point() for the largest factor; -1: there is none.
int shift_for(double largest, double accumulator_bound, double limit, int most) {
  if (largest == 0) return 0;
  int shift = std::min(std::ilogb(limit / largest), most);
  const auto multiplier = [&] { return std::round(std::ldexp(largest, shift)); };
  while (shift >= 0 && (multiplier() > limit || accumulator_bound * multiplier() >= kProductLimit)) --shift;
  return std::max(shift, -1);
}

/// Factors on their way to multipliers of one shift.
class Fixing {
 public:
  Fixing(const std::vector<Factor>& factors, const Sums& sums, const Bounds& bounds, int most_shift)
      : factors_(factors), sums_(sums), bounds_(bounds), most_shift_(most_shift), constants_(factors.size()) {
    for (const Factor& f : factors) wanted_.push_back(f.precise);
    for (size_t i = 0; i < factors.size() && !sums.reach.empty(); ++i)
      constants_[i] = constant_output(wanted_[i], reach(i), bounds);
  }

  void saturate() {
    if (sums_.reach.empty()) return;
    const double all = static_cast<double>(std::max(-bounds_.lo, bounds_.hi)) + 1;
    for (double& f : wanted_) f = std::clamp(f, -all, all);
  }

  std::optional<FixedPoint> fixed(double limit) {
    for (;;) {
      const int shift = choose_shift(limit);
      if (shift < 0) return std::nullopt;
      if (auto made = with_shift(shift, limit)) return made;
    }
  }

  /// Multipliers of up to `terms` powers of two; constants that have none of their own get one power.
  std::optional<FixedPoint> shifted(int terms) const {
    std::vector<double> live;
    for (size_t i = 0; i < wanted_.size(); ++i)
      if (!is_free(i)) live.push_back(wanted_[i]);
    const std::optional<Multipliers> made = shift_multipliers(live, terms, sums_.bound);
    if (!made) return std::nullopt;
    FixedPoint out{{{}, made->shift}, 0};
    auto next = made->multiplier.begin();
    for (size_t i = 0; i < wanted_.size(); ++i) {
      out.limited += is_free(i) ? 1 : 0;
      out.multipliers.multiplier.push_back(is_free(i) ? power_for(i, made->shift) : *next++);
      if (out.multipliers.multiplier.back() == 0) return std::nullopt;
    }
    return out;
  }

 private:
  const Interval& reach(size_t i) const {
    return sums_.reach.size() == 1 ? sums_.reach[0] : sums_.reach.at(i);
  }
  /// Whether shifted() chooses a multiplier freely: the output is constant, and the factor is above 1, which
  /// no sum of shifts makes.
  bool is_free(size_t i) const { return constants_[i] && wanted_[i] > 1; }

  int choose_shift(double limit) const {
    double largest = 0, of_all = 0;
    bool has_live = false;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      of_all = std::max(of_all, std::abs(wanted_[i]));
      if (constants_[i]) continue;
      has_live = true;
      largest = std::max(largest, std::abs(wanted_[i]));
    }
    if (has_live) return shift_for(largest, sums_.bound, limit, most_shift_);
    return std::max(0, shift_for(of_all, sums_.bound, limit, most_shift_));
  }

  /// None: a constant is no constant any more, so that its factor takes part in the next choice.
  std::optional<FixedPoint> with_shift(int shift, double limit) {
    const double most = std::min(limit, std::floor(kProductLimit / std::max(sums_.bound, 1.0)) - 1);
    FixedPoint out{{{}, shift}, 0};
    bool holds = true;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      const double nearest = std::round(std::ldexp(factors_[i].precise, shift));
      const double multiplier =
          constants_[i] ? std::clamp(nearest, -most, most) : std::round(std::ldexp(wanted_[i], shift));
      out.limited += multiplier == nearest ? 0 : 1;
      out.multipliers.multiplier.push_back(static_cast<int32_t>(multiplier));
      if (!constants_[i]) continue;
      if (gives(*constants_[i], out.multipliers.multiplier.back(), shift, reach(i), bounds_)) continue;
      constants_[i].reset();
      holds = false;
    }
    return holds ? std::optional(std::move(out)) : std::nullopt;
  }

  /// 1 as a multiplier if that will do, else the nearest power above, then below; 0: none does.
  int32_t power_for(size_t i, int shift) const {
    const auto does = [&](int power) {
      return sums_.bound * std::ldexp(1, power) < kProductLimit &&
             gives(*constants_[i], 1 << power, shift, reach(i), bounds_);
    };
    const int one = std::min(shift, kLargestPower);
    for (int power = one; power <= kLargestPower; ++power)
      if (does(power)) return 1 << power;
    for (int power = one - 1; power >= 0; --power)
      if (does(power)) return 1 << power;
    return 0;
  }

  const std::vector<Factor>& factors_;
  const Sums& sums_;
  const Bounds& bounds_;
  int most_shift_;
  /// M, or K in its place.
  std::vector<double> wanted_;
  std::vector<std::optional<int64_t>> constants_;
};

/// The multipliers of the mode, or of the next one that has them; `mode` says which.
std::optional<FixedPoint> multipliers(const std::vector<Factor>& factors, const Sums& sums,
                                      const Bounds& bounds, int most_shift, RescaleMode& mode) {
  if (const int terms = shift_terms(mode); terms > 0) {
    if (auto shifts = Fixing(factors, sums, bounds, most_shift).shifted(terms)) return shifts;
    mode = RescaleMode::FixedPoint16;
  }
  // What saturates would leave few of 16 bits to the others.
  if (mode == RescaleMode::FixedPoint16)
    if (auto fixed = fixed_point(factors, sums, bounds, kLargestMultiplier16, false, most_shift))
      return fixed;
  mode = RescaleMode::FixedPoint32;
  return fixed_point(factors, sums, bounds, kLargestMultiplier, true, most_shift);
}

/// "1e12 of channel 3".
std::string largest_of(const std::vector<Factor>& factors) {
  size_t at = 0;
  for (size_t i = 0; i < factors.size(); ++i)
    if (std::abs(factors[i].precise) > std::abs(factors[at].precise)) at = i;
  const std::string text = fmt::format("{:.6g}", std::abs(factors[at].precise));
  return factors.size() == 1 ? text : fmt::format("{} at index {}", text, at);
}

}  // namespace

std::optional<FixedPoint> fixed_point(const std::vector<Factor>& factors, const Sums& sums,
                                      const Bounds& bounds, double limit, bool saturates, int most_shift) {
  Fixing fixing(factors, sums, bounds, most_shift);
  if (saturates) fixing.saturate();
  return fixing.fixed(limit);
}

MadeRescale make_rescale(const graph::Node& node, RescaleMode mode, const std::vector<Factor>& factors,
                         const Sums& sums, const Bounds& bounds, int most_shift) {
  MadeRescale made;
  Rescale& rescale = made.rescale;
  rescale.mode = mode;
  rescale.lo = bounds.lo;
  rescale.hi = bounds.hi;
  if (mode == RescaleMode::FloatingPoint) {
    for (const Factor& f : factors) rescale.factor.push_back(f.single);
    return made;
  }
  std::optional<FixedPoint> fixed = multipliers(factors, sums, bounds, most_shift, rescale.mode);
  if (!fixed)
    throw ExportError(
        fmt::format("{}: rescaling factor {} for accumulators up to {:.6g} does not fit Fixed-point32",
                    subject(node), largest_of(factors), sums.bound),
        node.origin,
        sums.reach.empty() ? "calibrate with samples that leave more of the sum of its inputs"
                           : "-act-rescaling-mode Floating-point has no such limit");
  rescale.multiplier = std::move(fixed->multipliers.multiplier);
  rescale.shift = fixed->multipliers.shift;
  made.limited = fixed->limited;
  return made;
}

}  // namespace n2d2::quantize
