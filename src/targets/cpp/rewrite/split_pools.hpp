// How does an average over a whole map come to run row by row?
#pragma once

#include "n2d2/program/peephole.hpp"

namespace n2d2::targets::cpp {

/// An average_pool whose window is its whole map, of 8 bits, without padding and of several rows, becomes two
/// calls: pool_sums adds each row of the map to a sum for each channel (Contract::accumulates), pool_mean
/// makes its output of them, to the same bytes. The sums take 4 bytes a channel.
program::Expander split_pools();

}  // namespace n2d2::targets::cpp
