// Which constants does a cell read?
#pragma once

#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// Returns those of its calls and of their steps, in this order, each once.
std::vector<ConstantId> constants_of(const Program& program, const Cell& cell);

}  // namespace n2d2::program
