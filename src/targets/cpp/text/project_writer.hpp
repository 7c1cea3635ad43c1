// How is a planned network written as a C++11 project?
#pragma once

#include <span>

#include "n2d2/export/file_tree.hpp"

#include "planned_network.hpp"

namespace n2d2::targets::cpp {

/// The tree of an exported project. See Project::write.
void write_project(const PlannedNetwork& network, const exporter::Samples& samples, exporter::FileTree& tree);

}  // namespace n2d2::targets::cpp
