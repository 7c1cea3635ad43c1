// What is a transformation where it is a layer: which operations on maps of floats, the same for every
// sample?
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace n2d2::data {

/// A map of another size: linear between pixels, whose centres lie at half coordinates.
struct ResizeStep {
  int width = 0, height = 0;
};

/// Pixels that come in on each side, or are cut off where negative.
struct WindowStep {
  /// What comes in: one value, the nearest pixel, the mirror image about the outermost one.
  enum class Around { Value, Edge, Mirror };
  int left = 0, top = 0, right = 0, bottom = 0;
  Around around = Around::Value;
  double value = 0;
};

/// factor x + shift, with one of each for every channel.
struct AffineStep {
  std::vector<double> factors, shifts;
};

/// What is below 0 becomes 0, what is above 1 becomes 1.
struct UnitClipStep {};

/// A layer of Type=Threshold with these keys.
struct ThresholdStep {
  std::string operation;
  double threshold = 0, max_value = 1;
};

using MapStep = std::variant<ResizeStep, WindowStep, AffineStep, UnitClipStep, ThresholdStep>;

}  // namespace n2d2::data
