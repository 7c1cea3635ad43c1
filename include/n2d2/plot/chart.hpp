// How does a curve or a histogram look?
#pragma once

#include <string>
#include <vector>

#include "n2d2/plot/canvas.hpp"

namespace n2d2::plot {

struct Series {
  enum class Kind { Line, Bars, Points };
  std::string name;  ///< empty: not in the legend
  Kind kind = Kind::Line;
  /// Line, Points: points (x[i], y[i]). Bars: bar i reaches from x[i] to x[i+1], so x has one entry more than
  /// y.
  std::vector<double> x, y;
  int color = 0;  ///< see palette
  /// Points: frames instead of squares, and what is written beside each; none: nothing.
  bool hollow = false;
  std::vector<std::string> labels = {};
};

/// A vertical line with a label, for a threshold or a range end.
struct Marker {
  double x = 0;
  std::string label;
  int color = kLimit;
  bool dashed = true;
};

struct Chart {
  std::string title, x_title, y_title;
  bool log_x = false, log_y = false;  ///< values <= 0 are not drawn
  std::vector<Series> series;
  std::vector<Marker> markers;
  int width = 1024, height = 640;
};

/// Axes cover all finite values and markers; a chart without values is an empty frame with its titles. A
/// label of a point stands where no other one does, and is left out where there is no room. Throws
/// InternalError when a series has the wrong number of x.
Canvas draw(const Chart& chart);

/// Round positions for an axis over [low, high], at most `count` + 1 of them, ascending, inside the range.
std::vector<double> ticks(double low, double high, int count);

}  // namespace n2d2::plot
