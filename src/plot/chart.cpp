#include "n2d2/plot/chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/base/error.hpp"

#include "axis.hpp"
#include "points.hpp"

namespace n2d2::plot {

namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

void x_range(const Chart& chart, Range& x) {
  const auto include = [&](double value) {
    if (!chart.log_x || value > 0) x.include(value);
  };
  for (const Series& series : chart.series)
    for (const double value : series.x) include(value);
  for (const Marker& marker : chart.markers) include(marker.x);
  if (x.empty()) x = {chart.log_x ? 1.0 : 0.0, chart.log_x ? 10.0 : 1.0};
  const bool has_points = std::any_of(chart.series.begin(), chart.series.end(), [](const Series& series) {
    return series.kind == Series::Kind::Points;
  });
  if (has_points && !chart.log_x) {  // whole squares at both ends
    const double margin = 0.06 * (x.high - x.low);
    x = {x.low - margin, x.high + margin};
  }
  if (x.low != x.high) return;
  if (chart.log_x)
    x = {x.low / 2, x.high * 2};
  else
    x = {x.low - 0.5, x.high + 0.5};
}

void y_range(const Chart& chart, Range& y) {
  bool bars = false;
  for (const Series& series : chart.series) {
    bars = bars || series.kind == Series::Kind::Bars;
    for (const double value : series.y)
      if (!chart.log_y || value > 0) y.include(value);
  }
  if (y.empty()) y = {chart.log_y ? 1.0 : 0.0, chart.log_y ? 10.0 : 1.0};
  if (chart.log_y) {
    y = {std::pow(10, std::floor(std::log10(y.low) - 1e-9)), y.high * 2};
  } else {
    if (bars || y.low > 0) y.low = std::min(y.low, 0.0);
    if (y.low == y.high) y.high = y.low + 1;
    y.high += 0.08 * (y.high - y.low);
  }
}

void draw_bars(Canvas& canvas, const Series& series, const Scale& x, const Scale& y, bool log) {
  const double base = log ? y.low : 0.0;
  for (size_t i = 0; i < series.y.size(); ++i) {
    const double value = series.y[i];
    if (!std::isfinite(value) || (log && value <= 0) || (x.log && series.x[i] <= 0)) continue;
    double left = x.at(series.x[i]), right = x.at(series.x[i + 1]);
    // Neighbours share an edge of pixels: else a seam of both tints is seen.
    if (right - left >= 1) left = std::round(left), right = std::round(right);
    const double top = std::min(y.at(value), y.at(base)), bottom = std::max(y.at(value), y.at(base));
    canvas.rectangle(left, top, right - left, bottom - top, with_opacity(palette(series.color), kBarOpacity));
  }
}

void draw_line(Canvas& canvas, const Series& series, const Scale& x, const Scale& y, bool log) {
  const auto drawable = [&](size_t i) {
    return std::isfinite(series.x[i]) && std::isfinite(series.y[i]) && (!log || series.y[i] > 0) &&
           (!x.log || series.x[i] > 0);
  };
  for (size_t i = 0; i < series.y.size(); ++i) {
    if (!drawable(i)) continue;
    const double px = x.at(series.x[i]), py = y.at(series.y[i]);
    if (i > 0 && drawable(i - 1))
      canvas.line(x.at(series.x[i - 1]), y.at(series.y[i - 1]), px, py, palette(series.color), 1.6);
    else if (i + 1 == series.y.size() || !drawable(i + 1))
      canvas.rectangle(px - 2, py - 2, 4, 4, palette(series.color));
  }
}

/// Labels stand on top of each other where their lines are close; each on the side that has room.
void draw_markers(Canvas& canvas, const Chart& chart, const Area& area, const Scale& x) {
  constexpr double kRow = kTextSize + 4;
  struct Taken {
    double left, right;
    int row;
  };
  std::vector<Taken> taken;
  const auto color_of = [](const Marker& marker) { return palette(marker.color); };
  const auto has_place = [&](const Marker& marker) { return !x.log || marker.x > 0; };
  for (const Marker& marker : chart.markers)
    if (has_place(marker))
      canvas.line(x.at(marker.x), area.top, x.at(marker.x), area.bottom, color_of(marker), 1.5,
                  marker.dashed);
  for (const Marker& marker : chart.markers) {
    if (!has_place(marker)) continue;
    const double at = x.at(marker.x);
    const double width = canvas.text_width(marker.label, kTextSize);
    const bool to_left = at + width + 8 > area.right;
    const double left = to_left ? at - width - 5 : at + 5;
    int row = 0;
    const auto blocked = [&](const Taken& t) {
      return t.row == row && left < t.right + 6 && t.left < left + width + 6;
    };
    while (std::any_of(taken.begin(), taken.end(), blocked)) ++row;
    taken.push_back({left, left + width, row});
    const double top = area.top + 4 + row * kRow;
    canvas.rectangle(left - 2, top, width + 4, kRow - 1, {1, 1, 1, 0.8});
    canvas.text(left, top + kTextSize, marker.label, kTextSize, color_of(marker));
  }
}

/// Names of the series in their colours, in one line above the axes, right aligned.
void draw_legend(Canvas& canvas, const Chart& chart, const Area& area) {
  double right = area.right;
  for (auto series = chart.series.rbegin(); series != chart.series.rend(); ++series) {
    if (series->name.empty()) continue;
    const Color color = palette(series->color);
    right -= canvas.text_width(series->name, kTextSize);
    canvas.text(right, area.top - 8, series->name, kTextSize, color);
    right -= 18;
    if (series->kind == Series::Kind::Line)
      canvas.line(right, area.top - 12, right + 13, area.top - 12, color, 1.6);
    else if (series->hollow)
      canvas.frame(right + 1, area.top - 16, 11, 7, color, 1.5);
    else
      canvas.rectangle(right, area.top - 17, 13, 9, color);
    right -= 16;
  }
}

}  // namespace

Canvas draw(const Chart& chart) {
  for (const Series& series : chart.series) {
    const size_t expected = series.y.size() + (series.kind == Series::Kind::Bars ? 1 : 0);
    N2D2_CHECK(series.x.size() == expected || series.y.empty(), "series '{}': expected {} x, got {}",
               series.name, expected, series.x.size());
  }
  Canvas canvas(chart.width, chart.height);
  const Area area{90, 62, chart.width - 30.0, chart.height - 62.0};
  Range x_values, y_values;
  x_range(chart, x_values);
  y_range(chart, y_values);
  const Scale x{x_values.low, x_values.high, area.left, area.right, chart.log_x};
  const Scale y{y_values.low, y_values.high, area.bottom, area.top, chart.log_y};
  draw_axes(canvas, area, x, y, chart.title, chart.x_title, chart.y_title, true);
  canvas.push_clip(area.left, area.top, area.right - area.left, area.bottom - area.top);
  for (const Series& series : chart.series)
    if (series.kind == Series::Kind::Bars) draw_bars(canvas, series, x, y, chart.log_y);
  for (const Series& series : chart.series)
    if (series.kind == Series::Kind::Line) draw_line(canvas, series, x, y, chart.log_y);
  draw_points(canvas, chart, area, x, y);
  draw_markers(canvas, chart, area, x);
  canvas.pop_clip();
  draw_legend(canvas, chart, area);
  return canvas;
}

}  // namespace n2d2::plot
