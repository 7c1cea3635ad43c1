// How did the original allocate? To the letter.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ring_packing.hpp"

namespace n2d2::memory {

/// The stack of occupied intervals over a clock. Cells are numbers; who needs a space is
/// listed in it.
class OriginalAllocator {
 public:
  static constexpr int kAlive = -1;
  struct Space {
    Bytes offset = 0, size = 0;
    int allocated = 0, released = kAlive;
    std::set<int> dependencies;
  };

  explicit OriginalAllocator(Bytes alignment) : alignment_(alignment) {}

  int clock() const { return clock_; }
  const std::vector<Space>& spaces() const { return spaces_; }

  /// A new space, first fit.
  int reserve(Bytes size, std::set<int> dependencies);
  /// More planes in a space: it grows to what they require, a released one is revived, and everything is
  /// allocated again from clock 0.
  void extend(int space, Bytes required, const std::set<int>& dependencies);
  /// The cell needs nothing any more; spaces nobody else needs are free from here on.
  void release_dependencies(int cell);
  /// Next clock; spaces of earlier clocks that nobody needs are free.
  void tick();

 private:
  Bytes on_stack(Bytes size);
  void replay();

  Bytes alignment_;
  int clock_ = 0;
  std::vector<Space> spaces_;
  std::map<Bytes, Bytes> occupied_;  // size by offset
};

/// Spaces, what they hold at each clock, and where each buffer lies in its space.
struct OriginalPlan {
  std::vector<Ring> rings;       ///< times are clocks
  std::vector<Bytes> first_fit;  ///< offsets of the construction
  std::vector<View> views;       ///< of buffer i
  std::vector<SpaceId> scratch_of_step;
};
OriginalPlan construct_original(const Problem& problem);

}  // namespace n2d2::memory
