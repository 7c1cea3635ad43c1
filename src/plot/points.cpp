#include "points.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace n2d2::plot {

namespace {

constexpr double kHalf = 4.5, kGap = 3;

struct LabelBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool meets(const LabelBox& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

LabelBox square_at(double x, double y) {
  return {x - kHalf, y - kHalf, x + kHalf, y + kHalf};
}

/// Places for a label of a point, the usual ones first, then in growing distance above and below.
std::vector<LabelBox> places_beside(double x, double y, double width) {
  std::vector<LabelBox> out;
  const double height = kTextSize;
  for (int row = 0; row < 8; ++row)
    for (const double side : {1.0, -1.0})
      for (const double up : {-1.0, 1.0}) {
        const double left = side > 0 ? x + kHalf + kGap : x - kHalf - kGap - width;
        const double top = y - height / 2 + up * row * (height + 1);
        out.push_back({left, top, left + width, top + height});
      }
  return out;
}

class PointsOfChart {
 public:
  PointsOfChart(Canvas& canvas, const Chart& chart, const Area& area, const Scale& x, const Scale& y)
      : canvas_(canvas), chart_(chart), area_(area), x_(x), y_(y) {}

  void draw() {
    for_each([&](const Series& series, size_t, double x, double y) {
      const Color color = palette(series.color);
      taken_.push_back(square_at(x, y));
      if (series.hollow)
        canvas_.frame(x - kHalf, y - kHalf, 2 * kHalf, 2 * kHalf, color, 1.5);
      else
        canvas_.rectangle(x - kHalf, y - kHalf, 2 * kHalf, 2 * kHalf, color);
    });
    for_each([&](const Series& series, size_t i, double x, double y) {
      if (i < series.labels.size() && !series.labels[i].empty()) label(series.labels[i], x, y);
    });
  }

 private:
  template <class Take>
  void for_each(Take take) const {
    for (const Series& series : chart_.series) {
      if (series.kind != Series::Kind::Points) continue;
      for (size_t i = 0; i < series.y.size(); ++i) {
        const bool is_there = std::isfinite(series.x[i]) && std::isfinite(series.y[i]) &&
                              (!x_.log || series.x[i] > 0) && (!y_.log || series.y[i] > 0);
        if (is_there) take(series, i, x_.at(series.x[i]), y_.at(series.y[i]));
      }
    }
  }

  /// Nothing is written where all places are taken.
  void label(const std::string& text, double x, double y) {
    for (const LabelBox& place : places_beside(x, y, canvas_.text_width(text, kTextSize))) {
      const bool is_inside = place.left >= area_.left && place.right <= area_.right &&
                             place.top >= area_.top && place.bottom <= area_.bottom;
      const bool is_free = std::none_of(taken_.begin(), taken_.end(),
                                        [&](const LabelBox& other) { return other.meets(place); });
      if (!is_inside || !is_free) continue;
      canvas_.text(place.left, place.bottom - 2, text, kTextSize, kInk);
      taken_.push_back(place);
      return;
    }
  }

  Canvas& canvas_;
  const Chart& chart_;
  const Area& area_;
  const Scale &x_, &y_;
  std::vector<LabelBox> taken_;
};

}  // namespace

void draw_points(Canvas& canvas, const Chart& chart, const Area& area, const Scale& x, const Scale& y) {
  PointsOfChart(canvas, chart, area, x, y).draw();
}

}  // namespace n2d2::plot
