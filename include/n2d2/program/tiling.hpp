// Which layers run in slices because somebody asks for it, and what does that cost?
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/program/lower.hpp"
#include "n2d2/program/stream.hpp"

namespace n2d2::program {

/// A region of tiles for each run of calls whose layers are to have as many slices, more than one. A layer
/// between others that makes no bytes (a Reshape) is no end of a run. Findings: an error for every run that
/// cannot be sliced, and why; a warning of a layer that has nobody to share its slices with, which stays
/// whole.
std::vector<Stream> regions_of_tiles(const Program& program,
                                     const std::function<Tiling(std::string_view)>& tiles_of,
                                     const std::string& subject, Diagnostics& findings);

/// Multiply-accumulates of convolutions and Fc in one run, and those among them that are done again: by
/// tiles, or within a call (Contract::macs_again).
struct Multiplications {
  int64_t all = 0, again = 0;
};
Multiplications multiplications(const Program& program);
/// Counts the multiply-accumulates of one run of the region.
Multiplications multiplications(const Program& program, const Region& region);
/// Counts the multiply-accumulates of a call that makes each row once.
Multiplications multiplications(const Program& program, const Call& call);

}  // namespace n2d2::program
