// How is a planned network written as a C++11 project?
#pragma once

#include <filesystem>
#include <span>

#include "planned_network.hpp"

namespace n2d2::exporter {

/// Writes the tree of spec export-cpp 4: static files, kernels, generated headers and sources, stimuli,
/// reference dumps, statistics. See Project::write.
void write_project(const PlannedNetwork& network, const std::filesystem::path& folder,
                   std::span<const Stimulus> stimuli, const ExtraFiles& extra);

}  // namespace n2d2::exporter
