// Where does a value stand on an axis, and what is written beside it?
#pragma once

#include <string>
#include <vector>

#include "n2d2/plot/canvas.hpp"

#include "look.hpp"

namespace n2d2::plot {

/// The inside of a chart in pixels.
struct Area {
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// Maps values of [low, high] to pixels of [from, to], linearly or by logarithm.
struct Scale {
  double low = 0, high = 1, from = 0, to = 1;
  bool log = false;
  double at(double value) const;
  /// Ticks of this scale; powers of ten on a logarithmic one of at least two decades, else numbers between
  /// them, too.
  std::vector<double> ticks(int count) const;
};

/// A tick as text: as many digits as the distance of neighbours asks for, thousands separated.
std::string tick_text(double value, const std::vector<double>& all, bool log);

/// Lines at round values of y, ticks, the title above and what the axes are, that of y above the axis.
/// Without x_ticks the places under the x axis are left to the caller.
void draw_axes(Canvas& canvas, const Area& area, const Scale& x, const Scale& y, const std::string& title,
               const std::string& x_title, const std::string& y_title, bool x_ticks);

}  // namespace n2d2::plot
