// How do loops over rows and slices of channels keep maps from ever being there as a whole?
//
// Two rewrites of calls. A loop nest is one call that runs the calls of a chain of layers in loops
// (program.hpp). An average over a map becomes two calls, of which a region runs the first one row by row.
#pragma once

#include <span>
#include <vector>

#include "n2d2/program/kernel.hpp"
#include "n2d2/program/peephole.hpp"

namespace n2d2::program {

/// Layers that one loop nest computes, in order of execution.
using Chain = std::vector<graph::NodeId>;

/// The chains of a program, in order of execution; no two share a layer. The first layer of a chain makes
/// slices of its outputs, the ones between are channel by channel, and the last one adds up slices of its
/// inputs (Kernel::slicing). A chain of maps of several pixels has one between at least. Maps between have 8
/// bits, and nothing else reads them.
std::vector<Chain> chains_of(const Program& program);

/// The multiply-accumulates that the loop nest of a chain does more than once.
int64_t macs_again(const Program& program, const Chain& chain);

/// Makes a loop nest of a chain of the program: slices of the most channels that are no more than `channels`
/// and divide those of the maps between. Kernels of steps are those of `library`, which must outlive the
/// program.
Combiner loop_nest(const Chain& chain, int channels, const KernelLibrary& library);

/// Makes two calls of each average over a whole map of several rows: the first one adds each row of the map
/// to sums of 32 bits (Contract::accumulates), the second one requantizes them. The sums take 4 bytes a
/// channel.
Expander running_sums(const KernelLibrary& library);

/// The kernel of a loop nest: no kernel of a target, but the loops over those of the steps.
const Kernel& loop_nest_kernel();

/// The rows of an input that rows of an output are made of; `height`: rows of the input.
Rows rows_read(const Window& window, Rows rows, int height);

/// The rows that each of some calls makes for one row of the last one's output. Each reads the output of the
/// one before.
std::vector<Rows> rows_of_steps(const Program& program, std::span<const Call> steps, int row);

/// Bytes from the start of the scratch of a loop nest to the maps between its steps.
Bytes scratch_shift(const Call& call);

}  // namespace n2d2::program
