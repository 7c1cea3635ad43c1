// How does a long map between two fully connected layers come to need a few bytes?
#pragma once

#include <vector>

#include "n2d2/program/peephole.hpp"

namespace n2d2::targets::cpp {

/// What fuse_fc_chains() can fuse, in order of execution: both layers of each chain. Three layers behind each
/// other are one chain of those two between which more elements lie; where these are equal, of the first two.
std::vector<std::vector<graph::NodeId>> fc_chains_of(const program::Program& program);

/// Two fully connected layers, the second of which alone reads the first, of 8 bits, the map between
/// unsigned, become a call of fc_chain, to the same bytes of the second one: at most `channels` outputs of
/// the first are there at a time, the sums of the second are, in 32 bits; both are scratch of the call.
/// Nothing is computed twice. Fuses those in `only`.
program::Combiner fuse_fc_chains(const std::vector<std::vector<graph::NodeId>>& only, int channels);

}  // namespace n2d2::targets::cpp
