// What does an export say about its memory?
#pragma once

#include <string>

#include "n2d2/export/file_tree.hpp"
#include "n2d2/plot/timeline.hpp"

#include "planned_network.hpp"

namespace n2d2::targets::cpp {

/// The arenas over the steps, in KiB, one memory above the other.
plot::Timeline memory_timeline(const PlannedNetwork& network);

/// The layer that sets the peak; memory::kNone: there is none.
memory::StepId peak_step(const PlannedNetwork& network);

/// statistics/memory/: memory_mapping.{log,csv,json,svg,png} and memory_plan.csv, problem
/// and plan for `n2d2 -check-memory`.
void write_memory_report(const PlannedNetwork& network, exporter::FileTree& tree);

}  // namespace n2d2::targets::cpp
