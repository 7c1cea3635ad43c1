#include "axis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"
#include "n2d2/plot/chart.hpp"

namespace n2d2::plot {

namespace {

/// Where texts at the left begin.
constexpr double kTextsLeft = 12;

}  // namespace

std::vector<double> ticks(double low, double high, int count) {
  std::vector<double> out;
  if (!(high > low) || count < 1) return {low};
  const double raw = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double round : {1.0, 2.0, 5.0})
    if (round * power >= raw * (1 - 1e-9)) {
      step = round * power;
      break;
    }
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  for (double i = first; i <= last; ++i) out.push_back(i * step);
  return out;
}

double Scale::at(double value) const {
  const auto fraction = [&] {
    if (log) return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
    return (value - low) / (high - low);
  };
  return high > low ? from + fraction() * (to - from) : (from + to) / 2;
}

namespace {

/// Returns the ticks of a logarithmic axis that spans fewer than two powers of ten: 1, 2 and 5 times powers
/// of ten. Where fewer than three of these are on the axis, returns round numbers.
std::vector<double> ticks_within_decades(double low, double high, int count) {
  std::vector<double> out;
  for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)); ++power)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double tick = digit * std::pow(10, power); tick >= low && tick <= high) out.push_back(tick);
  return out.size() >= 3 ? out : ticks(low, high, count);
}

}  // namespace

std::vector<double> Scale::ticks(int count) const {
  if (!log) return plot::ticks(low, high, count);
  if (std::log10(high / low) < 2) return ticks_within_decades(low, high, count);
  const double first = std::ceil(std::log10(low) - 1e-9), last = std::floor(std::log10(high) + 1e-9);
  const double step = std::max(1.0, std::ceil((last - first) / count));
  std::vector<double> out;
  for (double power = first; power <= last; power += step) out.push_back(std::pow(10, power));
  return out;
}

std::string tick_text(double value, const std::vector<double>& all, bool log) {
  const double largest = std::max(std::abs(all.front()), std::abs(all.back()));
  if (log || largest >= 1e9 || (largest < 1e-3 && largest > 0)) return fmt::format("{:g}", value);
  const double step = all.size() > 1 ? all[1] - all[0] : std::max(largest, 1.0);
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  if (digits == 0) return with_thousands(std::llround(value));
  const std::string text = fmt::format("{:.{}f}", value, digits);
  return std::stod(text) == 0 ? fmt::format("{:.{}f}", 0.0, digits) : text;  // no "-0.0"
}

void draw_axes(Canvas& canvas, const Area& area, const Scale& x, const Scale& y, const std::string& title,
               const std::string& x_title, const std::string& y_title, bool x_ticks) {
  const auto y_ticks = y.ticks(static_cast<int>((area.bottom - area.top) / 50));
  for (const double value : y_ticks) {
    const double at = std::round(y.at(value)) + 0.5;
    canvas.line(area.left, at, area.right, at, kRule);
    canvas.text(area.left - 8, at + 4, tick_text(value, y_ticks, y.log), kTextSize, kDim, Align::Right);
  }
  const double bottom = std::round(area.bottom) + 0.5;
  canvas.line(area.left, bottom, area.right, bottom, kDim);
  if (x_ticks) {
    const auto places = x.ticks(static_cast<int>((area.right - area.left) / 80));
    for (const double value : places) {
      const double at = std::round(x.at(value)) + 0.5;
      canvas.line(at, bottom, at, bottom + 4, kDim);
      canvas.text(at, area.bottom + 18, tick_text(value, places, x.log), kTextSize, kDim, Align::Center);
    }
  }
  canvas.text(kTextsLeft, 24, title, kTitleSize, kInk);
  canvas.text((area.left + area.right) / 2, canvas.height() - 12, x_title, kTextSize, kDim, Align::Center);
  canvas.text(kTextsLeft, area.top - 8, y_title, kTextSize, kDim);
}

}  // namespace n2d2::plot
