// Does a run need nothing but what its plan keeps? Every other byte of the memories is overwritten before
// each call, and the outputs are compared with those of a plan in which nothing shares a byte.
#pragma once

#include <string>

#include "n2d2/program/plan.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::program {

/// Runs a sample (`values` as run_layers takes them) without reuse, in the program's plan, and in that plan
/// with free and guard bytes filled with 0xA5 and with 0x5A. ExportError naming the first layer that differs
/// in each run, and the first that writes outside the memories; `subject` ("export CPP") stands in front.
void check_memory(const Planned& planned, const Tensor& values, const std::string& subject);

}  // namespace n2d2::program
