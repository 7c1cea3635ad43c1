// Answers: how long do each cell and the whole network take?
// Part of an exported project; may be used without condition.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "stimulus.hpp"

namespace N2D2_Export {

// Adds up the microseconds of each cell over any number of runs.
class CellTimes {
 public:
  // A TimeFn whose user is the CellTimes.
  static void on_cell(const char* cell, void* user);

  // Prints name, running mean and cumulated mean for each cell; the last line is the whole run.
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
  std::string kernels;            // kernels of the cell: "conv2d (packed_avx2)"; "" for the whole run
};

// Runs the network `repetitions` times without a clock between the cells, then as often with one. The last
// entry is the whole run, named "total".
std::vector<TimeSummary> measure(const Stimulus& stimulus, int repetitions);

std::string time_report(const std::vector<TimeSummary>& times);
std::string time_json(const std::vector<TimeSummary>& times);

}  // namespace N2D2_Export
