// How exactly are figures written that come from floats? So that those of all processors agree, but where one
// lies between two numbers that are written.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace n2d2::app {

/// The nearest of `steps` numbers a unit.
inline double rounded(double value, double steps) {
  return std::round(value * steps) / steps;
}

/// Decibels for a file. JSON has no infinity: null.
inline double tenths(double decibel) {
  return rounded(decibel, 10);
}

/// Decibels for people.
inline std::string decibel_text(double value, const char* unit = " dB") {
  if (std::isfinite(value)) return fmt::format("{:.1f}{}", value, unit);
  return value > 0 ? "no noise" : "only noise";
}

}  // namespace n2d2::app
