// Where does the time of learning and testing go? `-bench`
#pragma once

#include <string>
#include <string_view>

#include "n2d2/compute/executor.hpp"
#include "n2d2/plot/timeline.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// A line a layer: its microseconds of one stimulus, of all threads together, forward and (when the layers
/// ran it) backward, and their share of all; a last line for all.
std::string times_text(const graph::Graph& graph, const compute::NodeTimes& times);
/// Returns the columns of times_text() as the text of a data file. Names and types are in quotes, shares are
/// fractions of 1, and the backward column is always there.
std::string times_data(const graph::Graph& graph, const compute::NodeTimes& times);
plot::Timeline times_picture(const graph::Graph& graph, const compute::NodeTimes& times,
                             std::string_view set);

/// Prints them and writes `timings/<set>.dat`, with -log-files `.svg` and `.png`, too; set: "learning" or
/// "test".
void report_times(const graph::Graph& graph, const compute::NodeTimes& times, std::string_view set,
                  const Options& options);

}  // namespace n2d2::app
