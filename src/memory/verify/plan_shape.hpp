// Does a plan describe its problem: counts, places, pitches, lives, peaks?
#pragma once

#include "n2d2/memory/validate.hpp"

namespace n2d2::memory {

/// What must hold before the addresses of a plan mean anything; all violations but Overwritten.
std::vector<Violation> shape_violations(const Problem& problem, const Plan& plan);

}  // namespace n2d2::memory
