#include <algorithm>
#include <cmath>

#include "n2d2/base/text.hpp"

#include "pictures.hpp"
#include "svg.hpp"

namespace n2d2::report {

namespace {

constexpr double kChartWidth = 560, kChartHeight = 240, kChartLeft = 78, kChartTop = 26, kChartBelow = 40;

/// A scale from data to places, with round numbers along it.
class Axis {
 public:
  Axis(double low, double high, double from, double to) : from_(from), to_(to) {
    if (!(high > low)) high = low + 1, low -= 1;
    step_ = std::pow(10, std::floor(std::log10((high - low) / 4)));
    for (const double times : {2.0, 2.5, 2.0})
      if ((high - low) / step_ > 8) step_ *= times;
    low_ = std::floor(low / step_) * step_, high_ = std::ceil(high / step_) * step_;
  }
  double at(double value) const { return from_ + (to_ - from_) * (value - low_) / (high_ - low_); }
  std::vector<double> ticks() const {
    std::vector<double> out;
    for (int i = 0; low_ + i * step_ <= high_ + step_ / 2; ++i) out.push_back(low_ + i * step_);
    return out;
  }
  std::string text(double tick) const {
    if (std::abs(tick) < step_ / 2) return "0";
    return std::abs(tick) >= 1e6
               ? fmt::format("{:.4g}", tick)
               : number_text(tick, std::max(0, static_cast<int>(std::ceil(-std::log10(step_)))));
  }

 private:
  double from_, to_, step_ = 1, low_ = 0, high_ = 1;
};

struct Bounds {
  double low = HUGE_VAL, high = -HUGE_VAL;
  void add(double value) {
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  }
  Axis axis(double from, double to) const {
    return low > high ? Axis(0, 1, from, to) : Axis(low, high, from, to);
  }
};

Axis x_axis(const Bounds& of) {
  return of.axis(kChartLeft, kChartLeft + kChartWidth);
}
Axis y_axis(const Bounds& of) {
  return of.axis(kChartTop + kChartHeight, kChartTop);
}

std::string axes(const Axis& x, const Axis& y, const std::string& x_title, const std::string& y_title) {
  std::string out;
  for (const double tick : y.ticks()) {
    out += line("grid", kChartLeft, y.at(tick), kChartLeft + kChartWidth, y.at(tick));
    out += words_at("e dim", kChartLeft - 6, y.at(tick) + 4, y.text(tick));
  }
  for (const double tick : x.ticks()) {
    out += line("axis", x.at(tick), kChartTop + kChartHeight, x.at(tick), kChartTop + kChartHeight + 4);
    out += words_at("m dim", x.at(tick), kChartTop + kChartHeight + 17, x.text(tick));
  }
  out += words_at("m dim", kChartLeft + kChartWidth / 2, kChartTop + kChartHeight + 34, x_title);
  return out + words_at("dim", 4, 12, y_title);
}

std::string framed(const std::string& title, const std::string& content) {
  return picture("class=\"chart\"", kChartLeft + kChartWidth + 30, kChartTop + kChartHeight + kChartBelow,
                 title, content);
}

}  // namespace

std::string curve_picture(const Curve& curve) {
  Bounds of_x, of_y;
  for (const Series& series : curve.series) {
    for (const double x : series.x) of_x.add(x);
    for (const double y : series.y) of_y.add(y);
  }
  const Axis x = x_axis(of_x), y = y_axis(of_y);
  std::string out = axes(x, y, curve.x_title, curve.y_title);
  double legend = kChartLeft + kChartWidth;
  int color = 0;
  for (const Series& series : curve.series) {
    std::string points;
    for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i)
      if (std::isfinite(series.y[i]) && std::isfinite(series.x[i]))
        points += fmt::format("{} {} ", coordinate(x.at(series.x[i])), coordinate(y.at(series.y[i])));
    out += fmt::format("<polyline class=\"curve s{}\" points=\"{}\"/>", color, points);
    if (!series.name.empty()) {
      out += words_at(fmt::format("e c{}", color), legend, 12, series.name);
      legend -= 7 * static_cast<double>(series.name.size()) + 16;
    }
    color = (color + 1) % kColors;
  }
  return framed(curve.name, out);
}

std::string points_picture(const std::vector<Point>& points) {
  Bounds of_x, of_y;
  for (const Point& point : points) of_x.add(point.score), of_y.add(static_cast<double>(point.ram));
  const Axis x = x_axis(of_x), y = y_axis(of_y);
  std::string out = axes(x, y, "score", "RAM, bytes");
  for (const Point& point : points) {
    const bool is_best = point.dominated_by == 0;
    const double at_x = x.at(point.score), at_y = y.at(static_cast<double>(point.ram));
    const std::string text =
        fmt::format("{}: {}, score {:.6g}, RAM {} bytes, flash {} bytes", point.number, point.name,
                    point.score, with_thousands(point.ram), with_thousands(point.flash));
    out += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"4\">{}</circle>",
                       is_best ? "dot c0" : "ring", coordinate(at_x), coordinate(at_y), hint(text));
    if (is_best) out += words_at("", at_x + 6, at_y - 4, std::to_string(point.number));
  }
  return framed("RAM over score", out);
}

std::string histogram_picture(const Histogram& histogram) {
  constexpr double kWidth = 236, kHeight = 80, kBelow = 16, kMargin = 6;
  Bounds of;
  for (const double value : {histogram.min, histogram.max, histogram.low, histogram.high}) of.add(value);
  const double span = std::max(of.high - of.low, 1e-30);
  const auto x = [&](double value) { return kMargin + kWidth * (value - of.low) / span; };
  const int64_t most =
      histogram.counts.empty() ? 0 : *std::max_element(histogram.counts.begin(), histogram.counts.end());
  const double scale = kHeight / std::log1p(static_cast<double>(std::max<int64_t>(1, most)));
  const double width =
      (histogram.max - histogram.min) / static_cast<double>(std::max<size_t>(1, histogram.counts.size()));
  std::string path = fmt::format("M{} {}", coordinate(x(histogram.min)), coordinate(kHeight));
  for (size_t i = 0; i < histogram.counts.size(); ++i)
    path += fmt::format("V{}H{}",
                        coordinate(kHeight - scale * std::log1p(static_cast<double>(histogram.counts[i]))),
                        coordinate(x(histogram.min + width * static_cast<double>(i + 1))));
  std::string out = fmt::format("<path class=\"c0 bars\" d=\"{}V{}Z\"/>", path, coordinate(kHeight));
  for (const double limit : {histogram.low, histogram.high})
    out += line("level", x(limit), 0, x(limit), kHeight);
  out += words_at("dim", kMargin, kHeight + 13, fmt::format("{:.4g}", of.low));
  out += words_at("dim e", kMargin + kWidth, kHeight + 13, fmt::format("{:.4g}", of.high));
  return picture("class=\"small\"", kWidth + 2 * kMargin, kHeight + kBelow,
                 "How often values of " + histogram.name + " occur", out);
}

std::string confusion_picture(const std::string& title, const std::vector<std::string>& classes,
                              const std::vector<int64_t>& counts, bool is_difference) {
  constexpr double kSide = 300, kNames = 60, kNumber = 18;
  const size_t n = classes.size();
  if (n == 0 || counts.size() != n * n) return "";
  const double cell = kSide / static_cast<double>(n);
  int64_t most = 1;
  for (const int64_t count : counts) most = std::max(most, std::abs(count));
  std::string out = words_at("", kNames, 12, title);
  for (size_t row = 0; row < n; ++row)
    for (size_t column = 0; column < n; ++column) {
      const int64_t count = counts[row * n + column];
      if (count == 0) continue;
      const double x = kNames + cell * static_cast<double>(column), y = 20 + cell * static_cast<double>(row);
      // Logarithmic in eight steps: one error among thousands is seen.
      const int shade = 1 + static_cast<int>(7 * std::log1p(static_cast<double>(std::abs(count))) /
                                             std::log1p(static_cast<double>(most)));
      const std::string text =
          fmt::format("expected {}, found {}: {}", classes[row], classes[column], with_thousands(count));
      out += rectangle(fmt::format("{} o{}",
                                   is_difference && count < 0 ? "c3"
                                   : is_difference            ? "c2"
                                   : row == column            ? "c0"
                                                              : "c1",
                                   shade),
                       x, y, cell, cell, hint(text));
      if (cell >= kNumber) out += words_at("m", x + cell / 2, y + cell / 2 + 4, std::to_string(count));
    }
  out += rectangle("frame", kNames, 20, kSide, kSide);
  for (size_t row = 0; row < n && cell >= 9; ++row)
    out += words_at("e dim", kNames - 4, 20 + cell * (static_cast<double>(row) + 0.5) + 4,
                    fitting(shown(classes[row]), kNames - 4, 6.2));
  return picture("class=\"confusion\"", kNames + kSide + 4, kSide + 26, title, out);
}

}  // namespace n2d2::report
