// What do the integers of a quantized tensor mean, and how does an accumulator become one of them?
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "n2d2/base/fields.hpp"

namespace n2d2 {

/// real = scale * (q - zero_point). Kernels know no zero point: layers with weights have those of what they
/// read and of what they make in their biases, tables in their entries, and sums in what they start from.
struct QuantParams {
  int bits = 8;
  bool is_signed = true;
  /// -1: one scale for the tensor, else one scale for each index of this axis.
  int axis = -1;
  /// Above 0; with an axis, which only weights and biases have, the integers of an index may be those of its
  /// negative: -2^(bits-1) has none of the other sign.
  std::vector<float> scale;
  /// For each scale the real value of full_scale() that it was rounded from; empty where scales are what was
  /// given, so that full_scale() stands for exactly scale * full_scale().
  std::vector<double> threshold = {};
  /// Where 0 lies among the integers; it need not be one of them (127.5: bytes that stand for a / 127.5 - 1).
  double zero_point = 0;

  /// 2^bits - 1, or 2^(bits-1) - 1 when signed: the integer of the threshold T.
  int64_t full_scale() const { return is_signed ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1; }
  /// Saturation bounds of the n-bit integer.
  int64_t lowest() const { return is_signed ? -(int64_t{1} << (bits - 1)) : 0; }
  int64_t highest() const { return is_signed ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1; }
  /// T, the real value of full_scale().
  double threshold_of(size_t i = 0) const {
    if (!threshold.empty()) return threshold.at(i);
    return static_cast<double>(scale.at(i)) * static_cast<double>(full_scale());
  }
  /// Returns true when both describe one grid: thresholds that round to one scale make no difference.
  friend bool operator==(const QuantParams& a, const QuantParams& b) {
    return a.bits == b.bits && a.is_signed == b.is_signed && a.axis == b.axis && a.scale == b.scale &&
           a.zero_point == b.zero_point;
  }
};

/// Rescaling modes of `-act-rescaling-mode`.
enum class RescaleMode { FloatingPoint, FixedPoint16, FixedPoint32, SingleShift, DoubleShift };

template <>
struct EnumText<RescaleMode> {
  static constexpr std::array names{"Floating-point", "Fixed-point16", "Fixed-point32", "Single-shift",
                                    "Double-shift"};
};

/// Largest number of fractional bits of multipliers where nobody asks for fewer.
inline constexpr int kMostShift = 50;

/// From accumulator to output integer. One entry per output channel (layers with weights), one per input
/// (sums, joins) or one in all (average pool, scaling).
///   FloatingPoint:  y = rint(clamp(float(x) * factor[o], lo, hi))         ties to even
///   FixedPoint:     y = clamp((x * multiplier[o] + (1 << shift >> 1)) >> shift, lo, hi)
/// `start` is added to the products of a sum of branches before they are shifted, and to x elsewhere.
struct Rescale {
  RescaleMode mode = RescaleMode::FloatingPoint;
  std::vector<float> factor;
  std::vector<int32_t> multiplier;
  int shift = 0;
  int64_t lo = 0, hi = 0;
  int64_t start = 0;
  friend bool operator==(const Rescale&, const Rescale&) = default;
};

/// The real interval an activation clamps to; infinite where it does not. Rectifier: [0, clip or inf).
struct Clamp {
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
  friend bool operator==(const Clamp&, const Clamp&) = default;
};

}  // namespace n2d2
