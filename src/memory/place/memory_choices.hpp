// Which memory does each block lie in, and which one moves on when a memory is full?
#pragma once

#include "packing.hpp"

namespace n2d2::memory {

/// Every block starts in the memory it likes best (Buffer::memories of its root, Step::scratch_memories).
class MemoryChoices {
 public:
  MemoryChoices(const Blocks& made, const Problem& problem);

  /// Indices of the blocks in a memory.
  std::vector<int> in(MemoryId memory) const;

  /// The block to move out of a memory that overflows `capacity`: of those alive in the fullest step that
  /// have a next memory, the one with the fewest bytes read and written per byte that it takes off the
  /// excess. kNone:
  /// there is none. `members` are the indices of the packing's blocks.
  int cheapest_to_move(const Packing& packing, std::span<const int> members, Bytes capacity) const;

  /// Moves a block to its next memory, which is returned.
  MemoryId move_on(int block);

 private:
  struct Choice {
    std::vector<MemoryId> memories;  // best first
    size_t now = 0;
    Bytes traffic = 0;  // bytes written and read over the whole run
  };
  std::vector<Choice> choices_;
};

}  // namespace n2d2::memory
