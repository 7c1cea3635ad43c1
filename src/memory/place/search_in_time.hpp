// Is there a placement below a cap, step after step, with outputs over their dying inputs?
#pragma once

#include "packing.hpp"

namespace n2d2::memory {

struct TimeSearch {
  /// Pairs that must stay apart, by index; empty: none.
  std::vector<bool> apart;
  /// Blocks tried so far; the search gives up when it reaches the limit.
  int64_t nodes = 0, limit = 0;
};

/// Blocks are placed in the order of their birth: each at an end of the memory, against a live block, or over
/// an input that dies at the exact margin; the place nearest to an end first, so that outputs go from end to
/// end and the scan alternates. Not complete: nothing found does not mean that there
/// is none.
std::optional<Placement> search_in_time(const Packing& packing, Bytes cap, TimeSearch& search);

}  // namespace n2d2::memory
