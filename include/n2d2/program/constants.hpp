// Which constants does a cell read, and how many bytes are they?
#pragma once

#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// Returns those of its calls and of their steps, in this order, each once.
std::vector<ConstantId> constants_of(const Program& program, const Cell& cell);

/// Returns the bytes of Constant::data as it is stored, each output (its first axis) from a byte on.
Bytes stored_bytes(const Constant& constant);

}  // namespace n2d2::program
