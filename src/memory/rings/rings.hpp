// Where do buffers go when an output follows its dying input round a ring?
//
//   space  |  tail of Y  | free |  X ............ | head of Y |      step t reads X last and writes Y:
//          0                    row 0 of X        row 0 of Y         Y starts behind X, wraps on whole rows
#pragma once

#include <string_view>

#include "n2d2/memory/plan.hpp"

namespace n2d2::memory {

/// Returns a plan in which outputs follow their dying input in a ring and wrap round on whole rows. The
/// distance follows from the windows of the step. Rings are placed by the strategy, and may lie in unused
/// bytes of each other. validate accepts the plan.
///   strategy  None, OptimizeMaxLifetimeMinSizeFirst, OptimizeMaxLifetimeMaxSizeFirst,
///             OptimizeMaxHoleMaxLifetimeFirst, or OptimizeBest: the lowest of these
/// Everything is put into memory 0; every step scans top-down. Nothing is reused in a step without `overlap`
/// or with several outputs. A buffer that holds lanes side by side is never wrapped (a View cannot say it),
/// but overlaps its input where it fits straight. An Element step runs in place where pixels have one pitch.
/// Throws ConfigError for another strategy, InternalError for a problem with faults.
Plan plan_rings(const Problem& problem, std::string_view strategy);

}  // namespace n2d2::memory
