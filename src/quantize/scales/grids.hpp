// Which grid of 256 integers, with a zero point, errs least on a histogram?
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "assign_scales.hpp"

namespace n2d2::quantize {

/// Biases at borders take time: a grid with a zero point errs less than one without by 1 dB at least.
inline constexpr double kClearly = 0.794;

/// real = step * (q - zero) for q from 0 to 255, as unsigned bytes.
struct Grid {
  static constexpr int kLast = 255;
  double step = 1;
  int zero = 0;

  int nearest(double x) const { return std::clamp(static_cast<int>(std::lround(x / step)) + zero, 0, kLast); }
  double real(int q) const { return step * (q - zero); }
  QuantParams quant_params() const;
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// The grid of [lo, hi], which holds 0 and more than it.
Grid grid_over(double lo, double hi);
/// The grid that a scale of bytes is.
Grid grid_of(const Scale& scale);
/// Makes a scale of bytes that of the grid, in unsigned integers where they are allowed.
void set_grid(const Grid& grid, bool allow_unsigned, Scale& scale);

struct Bin {
  double centre, count;
};
/// Bins that hold something, several beside each other as one where there are very many.
std::vector<Bin> bins_of(const Histogram& histogram);

/// Sum of the squares that the grid is off.
double error_on(const std::vector<Bin>& bins, const Grid& grid);

struct Found {
  Grid grid;
  double error = std::numeric_limits<double>::infinity();
};

/// The grid over [lo, hi] of the least cost, its ends being shares of what the bins, in order, reach: every
/// sixteenth, then finer about the best.
template <class Cost>
Found best_grid(const std::vector<Bin>& bins, Cost cost) {
  constexpr std::array kParts{16, 64, 256};
  constexpr int kAbout = 3;
  const double lowest = std::min(0.0, bins.front().centre), highest = std::max(0.0, bins.back().centre);
  Found best;
  double low = 0.5, high = 0.5;  // shares at the middle of what was searched
  for (const int parts : kParts) {
    const bool is_first = parts == kParts.front();
    const auto range = [&](double about) {
      const int at = static_cast<int>(std::lround(about * parts));
      return is_first ? std::pair{0, parts}
                      : std::pair{std::max(0, at - kAbout), std::min(parts, at + kAbout)};
    };
    const auto [low_from, low_to] = range(low);
    const auto [high_from, high_to] = range(high);
    for (int l = low_to; l >= low_from; --l)
      for (int h = high_to; h >= high_from; --h) {
        const double lo = lowest * l / parts, hi = highest * h / parts;
        if (!(hi > lo)) continue;
        const Grid grid = grid_over(lo, hi);
        const double now = cost(grid);
        if (!(now < best.error)) continue;
        best = {grid, now};
        low = static_cast<double>(l) / parts, high = static_cast<double>(h) / parts;
      }
  }
  return best;
}

/// The histogram that judges a value; null: there is none, or nothing in it.
const Histogram* histogram_of(const graph::Graph& graph, const Ranges& ranges, graph::ValueId id);

}  // namespace n2d2::quantize
