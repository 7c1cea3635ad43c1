// How do pictures look like those of report.html?
#pragma once

#include <cmath>
#include <cstdint>

#include "n2d2/plot/canvas.hpp"

namespace n2d2::plot {

/// A colour as a style sheet writes it: 0x1b1f24 is #1b1f24.
constexpr Color rgb(uint32_t value) {
  const auto part = [value](int shift) { return static_cast<double>((value >> shift) & 0xffU) / 255; };
  return {part(16), part(8), part(0)};
}

/// Names and values of src/report/page.css, on white.
inline constexpr Color kInk = rgb(0x1b1f24), kDim = rgb(0x57606a), kRule = rgb(0xd0d7de),
                       kBad = rgb(0xb3261e);

inline constexpr double kTextSize = 12, kTitleSize = 15;
/// Opacity of blocks of a memory map, and of bars.
inline constexpr double kBlockOpacity = 0.55, kBarOpacity = 0.7;

/// Opacity of the classes o1 to o8 of the style, which tint counts.
constexpr double tint(int step) {
  return 0.15 + 0.12 * (step - 1);
}
/// From 1 to 8, by the logarithm of a count: one among thousands is seen.
inline int tint_step(int64_t count, int64_t most) {
  return 1 +
         static_cast<int>(7 * std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most)));
}

constexpr Color with_opacity(Color color, double opacity) {
  color.a = opacity;
  return color;
}

}  // namespace n2d2::plot
