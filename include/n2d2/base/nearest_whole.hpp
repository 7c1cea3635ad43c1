// What is the nearest whole number, in loops that are vectorised?
#pragma once

namespace n2d2 {

/// Ties to even, of |x| <= 2^22: adding 1.5 * 2^23 leaves no bits behind the point.
inline float nearest_whole(float x) {
  constexpr float kWhole = 12582912;
  return (x + kWhole) - kWhole;
}

/// Ties to even, of |x| < 2^51: adding 1.5 * 2^52 leaves no bits behind the point.
inline double nearest_whole(double x) {
  constexpr double kWhole = 6755399441055744.0;
  return (x + kWhole) - kWhole;
}

}  // namespace n2d2
