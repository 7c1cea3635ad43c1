// What differs between two runs? -compare
#pragma once

#include "command_line/options.hpp"

namespace n2d2::app {

/// Reads the report.json of the folders `compare` and `model`, or these files, and writes comparison.html
/// in the folder of the run. ConfigError for a file that is no report.
void compare_reports(const Options& options);

}  // namespace n2d2::app
