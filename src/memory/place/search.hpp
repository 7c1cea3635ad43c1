// Is there a placement of these blocks with a lower peak?
#pragma once

#include <optional>

#include "placement.hpp"

namespace n2d2::memory {

/// Searches placements with a peak below `known`, the lowest peaks first, and stops at one of `target` bytes
/// or less (0: at the lowest peak there is). `nodes` limits the number of blocks placed in all trials
/// together; 0: no limit, and a result above `target` is the lowest peak there is. Returns offsets of a peak
/// below `known`, or nothing. Deterministic; `placed`, when given, receives the number of blocks placed.
///
/// A trial asks for one peak. It walks the tree of search_tree.hpp again and again, each time under another
/// guide with a small share of the nodes, because a tree is either short or endless, depending on its first
/// choices; every now and then a walk gets as many nodes as all since the last such walk, so that the trial
/// comes to an end. Source of the restarts: Gomes, Selman, Kautz, AAAI 1998.
std::optional<std::vector<Bytes>> search(std::span<const Block> blocks, Bytes alignment, Bytes known,
                                         int64_t nodes, Bytes target = 0, int64_t* placed = nullptr);

}  // namespace n2d2::memory
