// How large may a network be?
#pragma once

#include <cstddef>

namespace n2d2::graph {

/// Most nodes of a file that are read; those of an INI file are bounded by its lines. The largest networks
/// that people export have some ten thousand nodes, constants of shape arithmetic included.
inline constexpr size_t kMostNodes = 100'000;

/// Most layers of an export: each becomes files of its own, and values are measured and planned one by one.
inline constexpr size_t kMostExportedLayers = 10'000;

}  // namespace n2d2::graph
