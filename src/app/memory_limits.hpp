// Does a network fit into the memory that the parameters of its export give it? Known before a sample is
// read.
#pragma once

#include "n2d2/loader/network.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Where the parameters of the export bound memory (MemoryBudget, Size of a memory), plans it with made-up
/// ranges, and throws the ExportError of that plan; its hint names StreamInput where that needs less. The
/// network is left as it was.
void expect_memory(loader::Network& net, const Options& options, const targets::Export& target);

}  // namespace n2d2::app
