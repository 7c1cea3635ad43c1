#include "n2d2/memory/strategy.hpp"

#include "placement.hpp"

namespace n2d2::memory {

Bytes bound_of(std::span<const Block> blocks, Bytes alignment) {
  Bytes bound = 0;
  for (const Block& newest : blocks) {  // the live bytes can only grow where a block is born
    Bytes sum = 0, gain = 0;
    for (const Block& block : blocks) {
      if (block.life.first > newest.life.first || block.life.end <= newest.life.first) continue;
      const Bytes rounded = round_up(block.size, alignment);
      sum += rounded;
      gain = std::max(gain, rounded - block.size);
    }
    bound = std::max(bound, sum - gain);
  }
  return bound;
}

Bytes lower_bound(const Problem& problem) {
  return bound_of(blocks_of(problem).blocks, problem.alignment);
}

}  // namespace n2d2::memory
