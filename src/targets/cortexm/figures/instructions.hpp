// How many instructions does each layer of a program execute?
#pragma once

#include <vector>

#include "n2d2/program/program.hpp"
#include "n2d2/targets/footprint.hpp"

#include "cores.hpp"

namespace n2d2::targets::cortexm {

/// Layers in order of execution: "env", which is the copy of the input, the cells of the program, and
/// "classes", which is the choice of the largest scores.
std::vector<LayerInstructions> instructions_of(const program::Program& program, const Core& core);

}  // namespace n2d2::targets::cortexm
