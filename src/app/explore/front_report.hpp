// How are exports that were compared shown?
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "n2d2/plot/chart.hpp"

#include "figures.hpp"

namespace n2d2::app {

/// Exports that were compared, and what is said of all of them.
struct Comparison {
  std::string network;      ///< its name
  std::string export_type;  ///< "CPP"
  std::string calibration;  ///< "100 of 500 Validation samples"
  std::vector<Explored> explored;
  /// For each of `explored`; empty where it is refused.
  std::vector<std::string> commands;
};

/// A line for each export of the front, then its command; then what was refused, and why.
std::string front_text(const Comparison& comparison);
/// pareto.csv: a line for each export.
std::string points_csv(const Comparison& comparison);
/// pareto.json.
std::string points_json(const Comparison& comparison);
/// RAM over the score, the front apart from the others.
plot::Chart front_chart(const Comparison& comparison);

}  // namespace n2d2::app
