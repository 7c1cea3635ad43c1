// What does an export say about its graph?
#pragma once

#include "n2d2/export/stimulus.hpp"
#include "n2d2/graph/graph.hpp"

namespace n2d2::exporter {

/// statistics/graph/: graph.txt (with hashes of constants) and graph.dot.
ExtraFiles graph_files(const graph::Graph& graph);

}  // namespace n2d2::exporter
