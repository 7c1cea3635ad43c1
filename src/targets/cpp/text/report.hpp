// What does an export say about its memory?
#pragma once

#include <string>

#include "n2d2/export/file_tree.hpp"

#include "planned_network.hpp"

namespace n2d2::targets::cpp {

/// statistics/memory/: memory_mapping.{log,csv,json,svg,png} and memory_plan.csv, problem
/// and plan for `n2d2 -check-memory`.
void write_memory_report(const PlannedNetwork& network, exporter::FileTree& tree);

}  // namespace n2d2::targets::cpp
