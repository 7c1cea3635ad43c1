// Which rows do the calls of a region make in each turn so that a slice of its result is made of nothing but
// what that turn made?
#pragma once

#include <map>
#include <vector>

#include "n2d2/program/stream.hpp"

#include "members.hpp"

namespace n2d2::program {

/// Returns, for each root that the calls write to, the rows that each turn makes. The rows of the result are
/// those of slices_of(). The rows of every other map are what the calls that read it need for theirs. Rows
/// between two turns that nobody reads belong to the earlier turn, and rows behind the last turn belong to
/// the last turn, so that every row is made.
std::map<ViewId, std::vector<Rows>> tiles_of(const Program& program, const Members& members, ViewId result,
                                             int slices);

/// Gives each ring a start, a multiple of its unit: two may share bytes where no call between the first that
/// writes one and the last that reads it touches the other. Returns where they end.
Bytes pack_rings(std::vector<Ring>& rings, const Program& program, const Members& members);

}  // namespace n2d2::program
