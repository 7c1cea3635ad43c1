// Which kernels does `-export CPP` have?
#pragma once

#include "n2d2/program/kernel.hpp"

namespace n2d2::targets::cpp {

/// The kernels of export/CPP/kernels.
const program::KernelLibrary& kernels();
/// For modules, before anything is exported.
program::KernelLibrary& open_kernels();

}  // namespace n2d2::targets::cpp
