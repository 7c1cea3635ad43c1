// How are points of a chart drawn, and what is written beside them?
#pragma once

#include "n2d2/plot/chart.hpp"

#include "axis.hpp"

namespace n2d2::plot {

/// Series of Kind::Points, the last one on top; then their labels.
void draw_points(Canvas& canvas, const Chart& chart, const Area& area, const Scale& x, const Scale& y);

}  // namespace n2d2::plot
