// How far may an output of a step overlap an input that dies there?
//
//      top-down, d <= top_down              bottom-up, d >= bottom_up            in place, d == in_place
//
//          [ dying input ]                  [ dying input ]                      [ dying input ]
//      [ born output ]                          [ born output ]                  [ born output ]
//      <---| d                              --->| d
//
// The distance d is the start of the born root less the start of the dying root. Everything follows from the
// windows the step declares; a pair that shares no byte needs no relation.
#pragma once

#include <optional>
#include <vector>

#include "n2d2/memory/problem.hpp"

namespace n2d2::memory {

/// An input that ends in the step in which an output starts; both are roots. All overlaps of a step use one
/// scan.
struct Relation {
  StepId step = kNone;
  BufferId dying = kNone, born = kNone;
  std::optional<Bytes> top_down;   ///< every d up to it is safe when rows come top-down
  std::optional<Bytes> bottom_up;  ///< every d from it on is safe when rows come bottom-up
  std::optional<Bytes> in_place;   ///< this d is safe in both scans
  friend bool operator==(const Relation&, const Relation&) = default;
};

/// The relations of a problem in the order of steps; none for a step that forbids overlap, for an input whose
/// value is kept, or where a window asks for the whole input.
std::vector<Relation> relations_of(const Problem& problem);

/// Most bytes the two roots can share, with distances that are multiples of `alignment`.
Bytes best_overlap(const Problem& problem, const Relation& relation, Bytes alignment);

}  // namespace n2d2::memory
