// How is what calibration measured written for people and plots?
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "n2d2/quantize/calibrate.hpp"

namespace n2d2::quantize {

/// A measured value and the stem of its files.
struct CalibrationStem {
  graph::ValueId value;
  std::string stem;
};
/// In the order of the names of the values; no two have one stem.
std::vector<CalibrationStem> calibration_stems(const graph::Graph& graph, const Ranges& ranges);

/// Calls write(path below statistics/calibration, content) for each file, one at a time, for together they
/// are large, values in the order of their names:
///   outputs_range.dat             a line per value: name min max mean stddev
///   outputs_histogram/<name>.dat  a line per bin that counts: index, centre, count, share of all
void calibration_files(const graph::Graph& graph, const Ranges& ranges,
                       const std::function<void(const std::string& path, const std::string& content)>& write);

}  // namespace n2d2::quantize
