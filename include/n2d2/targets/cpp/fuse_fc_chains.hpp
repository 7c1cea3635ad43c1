// How does a long map between two fully connected layers come to need a few bytes?
#pragma once

#include <array>
#include <set>
#include <vector>

#include "n2d2/program/peephole.hpp"

namespace n2d2::targets::cpp {

/// The last layers of what fuse_fc_chains() can fuse, in order of execution. Of three layers behind each other those two between which
/// more elements lie; of equals the first two.
std::vector<graph::NodeId> fc_chains_of(const program::Program& program);

/// Two fully connected layers, the second of which alone reads the first, of 8 bits, the map between unsigned, become a call of
/// fc_chain, to the same bytes of the second one: at most `channels` outputs of the first are there at a time, the sums
/// of the second are, in 32 bits; both are scratch of the call. Nothing is computed twice. Of those in `only`, by their last node.
program::Combiner fuse_fc_chains(std::set<graph::NodeId> only, int channels);

/// Both layers, the second of which the call is of.
using FcChain = std::array<graph::NodeId, 2>;
FcChain fc_chain_of(const program::Program& program, graph::NodeId last);
bool is_fc_chain(const program::Call& call);
/// Of the first layer, computed at a time.
int outputs_of_slice(const program::Program& program, const program::Call& chain);

}  // namespace n2d2::targets::cpp
