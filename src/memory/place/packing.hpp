// What does one memory have to hold, and what may share its bytes?
#pragma once

#include <optional>

#include "n2d2/memory/plan.hpp"

#include "margin.hpp"
#include "placement.hpp"

namespace n2d2::memory {

/// A relation between two blocks of one packing (see Relation).
struct Pair {
  StepId step = kNone;
  int dying = kNone, born = kNone;  ///< indices into Packing::blocks
  std::optional<Bytes> top_down, bottom_up, in_place;
  Bytes overlap = 0;  ///< most bytes the two can share

  /// Whether the output may start `d` bytes after the input when the step runs in this scan.
  bool allows(Bytes d, Scan scan) const {
    if (in_place && d == *in_place) return true;
    if (scan == Scan::TopDown) return top_down && d <= *top_down;
    return scan == Scan::BottomUp && bottom_up && d >= *bottom_up;
  }
};

/// The outputs of a step and the inputs they may overlap.
struct Overlapping {
  StepId step = kNone;
  std::vector<int> blocks;
  Bytes span = 0;  ///< fewest bytes they take together
};

struct Packing {
  std::vector<Block> blocks;
  std::vector<Pair> pairs;          ///< in the order of steps
  std::vector<Overlapping> groups;  ///< the same by step
  Bytes alignment = 1;
};

/// The blocks with the given indices and the pairs among them, renumbered 0, 1, ... Straight: every block
/// starts at a multiple of the alignment, so the distances of pairs are multiples of it. AnyPlan: they need
/// not be, as in a ring whose second piece follows at any row.
enum class Distances { Straight, AnyPlan };
Packing packing_of(const Problem& problem, const Blocks& made, std::span<const int> members, Bytes alignment,
                   Distances distances = Distances::Straight);

/// Live bytes of a step: each block rounded up, but for the one that gains most by being on top; but
/// the outputs of the step and the inputs they may overlap count as one block of their smallest span.
Bytes load_of(const Packing& packing, int step);

/// No placement has a lower peak: the largest load.
Bytes bound_of(const Packing& packing);

/// Where each block of a packing lies, and the scan each overlap needs.
struct Placement {
  std::vector<Bytes> offsets;
  std::vector<std::optional<Scan>> scan_of_pair;  ///< nothing: the two share no byte
};

/// Whether two blocks share bytes when they lie there.
inline bool meet(const Block& a, Bytes at, const Block& b, Bytes bt) {
  return at < bt + b.size && bt < at + a.size;
}

}  // namespace n2d2::memory
