// Does every read of a planned run find the bytes that were written for it?
#pragma once

#include <string>
#include <vector>

#include "n2d2/memory/plan.hpp"

namespace n2d2::memory {

struct Violation {
  enum class Kind {
    BadShape,      ///< the plan does not describe this problem: counts, pitches, places, pieces
    OutOfSpace,    ///< a view leaves its space, or a space leaves its memory
    BadPeak,       ///< the stated peak is not the largest end of a space
    BadAlignment,  ///< a space does not start at a multiple of the alignment
    ShortLife,     ///< a space ends before or starts after what it holds
    Overwritten    ///< a byte is overwritten while it is still needed
  };
  Kind kind = Kind::BadShape;
  int step = kNone;  ///< where it shows; kNone: not at a step
  BufferId buffer = kNone;
  std::string text;  ///< a full sentence without a period, names included
};

/// Judges a plan from the definition: the steps are run symbolically in order, row by row in their scan;
/// every byte a window reads must be the byte that was written for it, the outputs of a step must be whole
/// when it ends, and what is kept after the last one. Shares no code with the
/// planner. One violation per step and buffer. Empty: valid. The problem must be well formed.
std::vector<Violation> validate(const Problem& problem, const Plan& plan);

}  // namespace n2d2::memory
