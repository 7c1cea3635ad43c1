// Is there any placement below a cap when outputs may lie over their dying inputs?
#pragma once

#include "packing.hpp"

namespace n2d2::memory {

enum class Verdict { Fits, FitsNot, GaveUp };

struct PairSearch {
  int64_t nodes = 0, limit = 0;  ///< decisions tried so far; the search gives up at the limit
};

/// Branch and bound over the relative places of blocks that live together: one above the other, or over it as
/// a pair allows. Every decision is a difference between two offsets, so the lowest and highest offset of
/// each block follow by propagation, and the lowest ones are a placement as soon as they violate nothing.
/// Complete:
/// FitsNot is a proof. The placement is set when it fits.
Verdict search_pairs(const Packing& packing, Bytes cap, PairSearch& search, Placement& placement);

}  // namespace n2d2::memory
