// Which kernels does each family of cores have?
#pragma once

#include "n2d2/program/kernel.hpp"

#include "cores.hpp"

namespace n2d2::targets::cortexm {

/// The kernels of a family, those of export/CPP behind them.
const program::KernelLibrary& kernels_of(Family family);

}  // namespace n2d2::targets::cortexm
