// Answers: how long does each cell take, how long the network?
// Part of an exported project; may be used without condition.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "stimulus.hpp"

namespace N2D2_Export {

// Collects the microseconds of each cell over any number of forwards.
class CellTimes {
 public:
  // A TimeFn; user is the CellTimes.
  static void on_cell(const char* cell, void* user);

  // Name, running mean, cumulated mean of all cells so far, one line per cell; the last line is the whole forward.
  std::string running_means() const;

  struct Cell {
    std::string name;
    std::vector<double> microseconds;
  };
  const std::vector<Cell>& cells() const { return cells_; }

 private:
  std::vector<Cell> cells_;
  size_t next_ = 0;
  std::chrono::steady_clock::time_point last_;
};

struct TimeSummary {
  std::string name;
  double min, median, mean, p95;  // microseconds
  std::string kernels;            // what computes the cell: "conv2d (packed_avx2)"; "" of the whole forward
};

// Runs the network `repetitions` times without a clock between the cells, then as often with; the last entry is the
// whole forward, named "total".
std::vector<TimeSummary> measure(const Stimulus& stimulus, int repetitions);

std::string time_report(const std::vector<TimeSummary>& times);
std::string time_json(const std::vector<TimeSummary>& times);

}  // namespace N2D2_Export
