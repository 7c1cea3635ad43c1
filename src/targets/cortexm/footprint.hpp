// What does a planned program take of a microcontroller?
#pragma once

#include "n2d2/program/program.hpp"
#include "n2d2/targets/footprint.hpp"

#include "cores.hpp"

namespace n2d2::targets::cortexm {

/// `stack`: bytes that a call of propagate() takes at most.
Footprint footprint_of(const program::Program& program, const Core& core, int64_t stack, const Part* board);

}  // namespace n2d2::targets::cortexm
