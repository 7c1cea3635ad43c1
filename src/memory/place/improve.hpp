// How low does the peak of one memory get when the search follows a strategy?
#pragma once

#include "packing.hpp"

namespace n2d2::memory {

/// A placement with a peak at most that of `start`: at the lower bound where the search reaches it within
/// `nodes` (0: no limit, the result is the lowest peak there is). Steps share bytes with their inputs only
/// where the peak needs it; those with `wishes[step]` come first when that is settled.
Placement improve(const Packing& packing, Placement start, int64_t nodes, const std::vector<bool>& wishes);

}  // namespace n2d2::memory
