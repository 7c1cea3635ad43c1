// How are boxes that occupy a range over a time drawn: which are there when, and where?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "n2d2/plot/canvas.hpp"

namespace n2d2::plot {

/// Occupies [x0, x1) x [y0, y1) in data units. Stripes > 1 draws it as that many horizontal stripes of which
/// `stripe_fill` (0, 1] is filled; where they would be finer than two pixels a lighter tint replaces them.
/// Where boxes of different groups meet, the area is hatched.
struct Box {
  std::string label;  ///< shown where it fits
  int color = 0;      ///< see palette
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  int stripes = 1;
  double stripe_fill = 1;
  int group = -1;  ///< boxes of one group, and those without, meet unhatched
};

/// From the top of one piece of something to the bottom of the next one, at the time x.
struct Arrow {
  double x = 0, y0 = 0, y1 = 0;
  int color = 0;
};

/// A horizontal line over the whole width with a label behind it.
struct Level {
  double y = 0;
  std::string label;
  int color = kLimit;
  bool dashed = true;
};

struct Timeline {
  std::string title, x_title, y_title;
  std::vector<Box> boxes;
  std::vector<Arrow> arrows;
  std::vector<Level> levels;
  /// Names under the steps 0, 1, 2, ... at 45 degrees; thinned where they are too dense. Empty: numbers.
  std::vector<std::string> x_names;
  /// A step whose column is tinted.
  std::optional<int> marked;
  int width = 1280, height = 768;
};

/// x starts at 0, y at 0; both cover all boxes, y 5 percent more than boxes and levels.
Canvas draw(const Timeline& timeline);

}  // namespace n2d2::plot
