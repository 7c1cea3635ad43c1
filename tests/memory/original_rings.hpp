// How did the original allocate? To the letter: the comparator of the tests of rings.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "n2d2/memory/plan.hpp"

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

/// Returns the plan of N2D2's original allocator, which validate may refuse: an output stays
/// trunc(pad / stride) rows behind the input that it overwrites, and a ring has all its bytes for itself
/// during its whole life.
///   problem   without faults, with at least one step
///   strategy  as plan_rings takes it
/// Consecutive steps of which none needs another share a clock: these are the original's layers when the
/// steps come layer by layer. rows_per_step is not considered. A map of one row never wraps: it starts again
/// at the start of its space. A reshape whose rows do not end where its map wraps sticks out.
/// Throws ConfigError for another strategy.
Plan plan_original(const Problem& problem, std::string_view strategy);

}  // namespace n2d2::memory
