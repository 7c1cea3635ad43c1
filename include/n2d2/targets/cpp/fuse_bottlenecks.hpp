// How do wide maps around a depthwise convolution come to need a few rows of a few channels?
#pragma once

#include <array>
#include <set>
#include <vector>

#include "n2d2/program/peephole.hpp"

namespace n2d2::targets::cpp {

/// The last convolutions of what fuse_bottlenecks() can fuse, in order of execution.
std::vector<graph::NodeId> bottlenecks_of(const program::Program& program);

/// A conv2d, a conv2d_depthwise of its output and a conv2d of 1 x 1 of that, which nobody else reads, all of 8 bits, the maps between
/// them unsigned, become a call of conv2d_bottleneck, to the same bytes of the last one: the first is computed anew for
/// each row of the output (Contract::macs_again), at most `channels` channels at a time, the others have no cells any more. Sums
/// of a row, in 32 bits, and what is there of the maps between are scratch of the call. Of those in `only`, by their last node.
program::Combiner fuse_bottlenecks(std::set<graph::NodeId> only, int channels);

/// The convolution, the depthwise one, and the last one, which the call is of.
using Bottleneck = std::array<graph::NodeId, 3>;
Bottleneck bottleneck_of(const program::Program& program, graph::NodeId last);
bool is_bottleneck(const program::Call& call);
/// Of the maps between, computed at a time.
int channels_of_slice(const program::Program& program, const program::Call& bottleneck);

}  // namespace n2d2::targets::cpp
