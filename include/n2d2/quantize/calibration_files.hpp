// How is what calibration measured written for people and plots?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "n2d2/quantize/calibrate.hpp"

namespace n2d2::quantize {

/// Path below statistics/calibration and content (spec quantization 5.3), values in the order of their names:
///   outputs_range.dat             a line per value: name min max mean stddev
///   outputs_histogram/<name>.dat  a line per bin that counts: index, centre, count, share of all
std::vector<std::pair<std::string, std::string>> calibration_files(const graph::Graph& graph,
                                                                   const Ranges& ranges);

}  // namespace n2d2::quantize
