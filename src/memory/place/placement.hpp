// Where does each block land when blocks are put, one after the other, into the first gap that takes them?
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "n2d2/memory/problem.hpp"

namespace n2d2::memory {

/// What a strategy sees of a space.
struct Block {
  Bytes size = 0;
  Lifetime life;
  Bytes hole = 0;  ///< most bytes of it that are unused at the birth of one of its views
};

/// The blocks of a problem: one per buffer that is inside no other, then one per step with scratch.
struct Blocks {
  std::vector<Block> blocks;
  std::vector<int> of_buffer;  ///< index into blocks
  std::vector<int> of_step;    ///< its scratch; kNone without
};
Blocks blocks_of(const Problem& problem);

/// lower_bound of strategy.hpp for blocks.
Bytes bound_of(std::span<const Block> blocks, Bytes alignment);

/// Offset of each block, in the given order of placement: the lowest aligned offset at which it meets no
/// placed block during its life.
std::vector<Bytes> first_fit(std::span<const Block> blocks, std::span<const int> order, Bytes alignment);

/// Largest end of a block.
Bytes peak_of(std::span<const Block> blocks, std::span<const Bytes> offsets);

/// The blocks 0, 1, ... stably sorted by `before(a, b)`.
template <class Before>
std::vector<int> sorted_blocks(std::span<const Block> blocks, Before before) {
  std::vector<int> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return before(blocks[static_cast<size_t>(a)], blocks[static_cast<size_t>(b)]);
  });
  return order;
}

inline int length(const Lifetime& life) {
  return life.end - life.first;
}

}  // namespace n2d2::memory
