// Is there a placement of these blocks with a lower peak?
#pragma once

#include <optional>

#include "placement.hpp"

namespace n2d2::memory {

/// Branch and bound over placements in order of rising offset, each block resting on another or the ground.
/// Tries peaks between the lower bound and the one known, halving the range. `nodes` limits the number of
/// placements tried in total; 0: no limit, and the result is the lowest peak there is. Returns offsets of a peak
/// below `known`, or nothing.
/// Source: the canonical placements and the dominance of a gap that takes another block are those of Moffitt,
/// MiniMalloc, ASPLOS 2023, section 5.
std::optional<std::vector<Bytes>> search(std::span<const Block> blocks, Bytes alignment, Bytes known,
                                         int64_t nodes);

}  // namespace n2d2::memory
