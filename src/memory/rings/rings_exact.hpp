// Which outputs may follow their dying input in a ring, and how large must the ring be?
#pragma once

#include <optional>
#include <vector>

#include "problem/families.hpp"

namespace n2d2::memory {

/// How a family lies to the one before it in its ring.
enum class Place {
  Start,    ///< straight, from the start of the ring
  Onto,     ///< exactly where the one before lies: in place, element by element
  Behind,   ///< from the end of the one before, wrapping
  Straight  ///< from the end of the one before, not wrapping
};

/// A family in a ring. The step that makes it is the last one that needs the family before it.
struct Link {
  int family = 0;
  Place place = Place::Start;
  StepId born = kNone;  ///< kNone: comes from outside
  Bytes offset = 0, wrap = 0;
};

/// Families one after the other in one space; no two of them are needed at the same time but in the step that
/// makes the later.
struct Chain {
  Bytes size = 0;
  std::vector<Link> links;
};

/// Every family in one chain, in order of birth.
std::vector<Chain> construct_exact(const Problem& problem, const Families& families);

}  // namespace n2d2::memory
