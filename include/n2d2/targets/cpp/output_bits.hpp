// How many bits has what leaves the network?
#pragma once

#include <span>
#include <vector>

#include "n2d2/targets/cpp/project.hpp"

namespace n2d2::targets::cpp {

/// quantize::Options::output_bits: what OutputNbBits says. Where it says nothing, 32 for an output of one pixel and several
/// channels in a network of up to 8 bits: the class of a picture is the largest of them, and of 8-bit scores that are equal
/// the first would win. A map of classes keeps the bits of the layers, which is a quarter of the memory.
/// An output that cannot have them keeps those of the layers, too: a warning if they were asked for, else a notice.
std::vector<int> output_bits(const graph::Graph& graph, std::span<const targets::Output> outputs,
                             const Options& options);

}  // namespace n2d2::targets::cpp
