// Which pictures does the page have?
#pragma once

#include <string>
#include <vector>

#include "n2d2/report/report.hpp"

#include "columns.hpp"

namespace n2d2::report {

/// Layers below each other in their order; arcs beside them lead past others. Each has a bar of one overlay.
std::string graph_picture(const std::vector<Layer>& layers, const Column& overlay);

/// Bytes over steps: a box for each buffer, lines for the levels, a band for the step of the peak.
std::string memory_picture(const MemoryMap& map);

/// Counts on a logarithmic scale; lines where the integers end.
std::string histogram_picture(const Histogram& histogram);

/// Lines of a chart.
std::string curve_picture(const Curve& curve);
/// RAM over score: a dot with its number for each point that none dominates, a ring for each other one.
std::string points_picture(const std::vector<Point>& points);

/// A square for each pair of classes with a count, the darker the larger, and the number where it has room.
/// Gains and losses of a difference have two colours.
std::string confusion_picture(const std::string& title, const std::vector<std::string>& classes,
                              const std::vector<int64_t>& counts, bool is_difference);

}  // namespace n2d2::report
