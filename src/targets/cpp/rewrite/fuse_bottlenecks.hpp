// How do wide maps around a depthwise convolution come to need a few rows of a few channels?
#pragma once

#include <vector>

#include "n2d2/program/peephole.hpp"

namespace n2d2::targets::cpp {

/// What fuse_bottlenecks() can fuse, in order of execution: the convolution, the depthwise one and the last
/// one of each.
std::vector<std::vector<graph::NodeId>> bottlenecks_of(const program::Program& program);

/// A conv2d, a conv2d_depthwise of its output and a conv2d of 1 x 1 of that, which nobody else reads, all of
/// 8 bits, the maps between them unsigned, become a call of conv2d_bottleneck, to the same bytes of the last
/// one: the first is computed anew for each row of the output (Contract::macs_again), at most `channels`
/// channels at a time, the others have no cells any more. Sums of a row, in 32 bits, and what is there of the
/// maps between are scratch of the call. Fuses those in `only`.
program::Combiner fuse_bottlenecks(const std::vector<std::vector<graph::NodeId>>& only, int channels);

}  // namespace n2d2::targets::cpp
