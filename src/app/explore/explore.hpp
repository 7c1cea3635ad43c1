// Which widths, effort and memory budget suit a network? (-pareto)
#pragma once

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Compares exports (points.hpp) on the Test samples. Writes what was found of each to pareto/points/, takes
/// what earlier runs have found from there, prints those that no other one beats, and writes
/// pareto/points.csv, pareto.json, pareto.svg and pareto.png. With -pareto-part only the files of points are
/// written. ConfigError for a network that has its integers or scales already, and without Test samples;
/// ExportError where every export is refused.
void explore(loader::Network& net, const Options& options);

}  // namespace n2d2::app
