// Where do buffers go when an output follows its dying input round a ring?
//
//   space  |  tail of Y  | free |  X ............ | head of Y |      step t reads X last and writes Y:
//          0                    row 0 of X        row 0 of Y         Y starts behind X, wraps on whole rows
#pragma once

#include <string_view>

#include "n2d2/memory/plan.hpp"

namespace n2d2::memory {

/// How far an output stays behind the input it overwrites.
enum class Margin {
  Original,  ///< rows by trunc(pad / stride), as in N2D2: not safe everywhere, validate may refuse the plan
  Exact      ///< from the windows of the step; validate accepts the plan
};

/// A plan in the manner of N2D2: outputs follow their dying input in a ring and wrap round
/// on whole rows; rings are placed by the strategy, and may lie in each other's unused bytes.
///   strategy  None, OptimizeMaxLifetimeMinSizeFirst, OptimizeMaxLifetimeMaxSizeFirst,
///             OptimizeMaxHoleMaxLifetimeFirst, or OptimizeBest: the lowest of these
/// Everything is put into memory 0; every step scans top-down. Nothing is reused in a step without `overlap`
/// or with several outputs.
///   Original  Consecutive steps of which none needs another share a clock: the original's layers when the
///             steps
///             come layer by layer. rows_per_step is not considered. A map of one row never wraps: it starts
///             again at the start of its space. A reshape whose rows do not end where its map wraps sticks
///             out.
///   Exact     A buffer that holds lanes side by side is never wrapped (a View cannot say it), but overlaps
///             its input where it fits straight. An Element step runs in place where pixels have one pitch.
/// Throws ConfigError for another strategy, InternalError for a problem with faults.
Plan plan_rings(const Problem& problem, std::string_view strategy, Margin margin);

}  // namespace n2d2::memory
