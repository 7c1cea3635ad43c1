// How many bits has what leaves the network?
#pragma once

#include <span>
#include <string>
#include <vector>

#include "n2d2/targets/cpp/project.hpp"

namespace n2d2::targets::cpp {

/// quantize::Options::output_bits: what OutputNbBits says. Where it says nothing, 32 for an output of several
/// channels in a network of up to 8 bits: the class of a pixel is the largest of them, and of 8-bit scores
/// that are equal the first would win. For a map of classes that is four times the memory (wide_maps).
/// An output that cannot have them keeps those of the layers, too: a warning if they were asked for, else a
/// notice.
std::vector<int> output_bits(const graph::Graph& graph, std::span<const targets::Output> outputs,
                             const Options& options);

/// An output of several pixels that has more bits than the layers, and the bytes of its elements: with these
/// bits, and with those of the layers.
struct WideMap {
  std::string name;
  int bits = 0;
  int64_t bytes = 0, bytes_of_layers = 0;
};

/// Returns the wide maps of a program whose layers have `bits` bits.
std::vector<WideMap> wide_maps(const program::Program& program, int bits);

}  // namespace n2d2::targets::cpp
