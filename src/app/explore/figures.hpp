// What is known of an export that -pareto has looked at?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "points.hpp"

namespace n2d2::app {

/// The integers of one target beside the floats, as statistics/score.json of an export has them.
struct TargetScore {
  std::string target;
  bool has_classes = true;         ///< else the outputs are compared with the input (DataAsTarget)
  double integer = 0, floats = 0;  ///< recognition rates, or mean squared errors
  int64_t agree = 0, decisions = 0;
  std::optional<double> sqnr_db;  ///< none: no noise
};

struct Accuracy {
  int64_t samples = 0;
  std::vector<TargetScore> targets;

  /// Mean recognition rate; without classes the mean squared error with a minus. The larger the better.
  double score() const;
  /// Share of all decisions that are those of the floats; 1 without any.
  double agreement() const;
  /// The lowest of the targets; infinite without noise.
  double sqnr() const;
};

/// What the planned program takes.
struct Cost {
  int64_t ram = 0;  ///< the arena, of all memories together
  int64_t weights = 0, biases = 0;
  int64_t filling = 0;          ///< between their arrays, where that is known
  int64_t code = 0;             ///< 0: not known
  int64_t multiplications = 0;  ///< in one run, those that are done again counted
  int64_t calls = 0;            ///< of kernels in one run
  int64_t instructions = 0;     ///< in one run; 0: not known

  int64_t flash() const { return weights + biases + filling + code; }
};

struct Explored {
  Point point;
  /// Why there is no such export; empty: there is one.
  std::string refused;
  std::string memory_budget;  ///< bytes, "min" or "0"; empty: what the parameters say
  Accuracy accuracy;
  Cost cost;

  bool is_refused() const { return !refused.empty(); }
};

}  // namespace n2d2::app
