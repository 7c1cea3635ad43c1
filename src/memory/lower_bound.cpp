#include "n2d2/memory/strategy.hpp"

#include "packing.hpp"

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

Bytes load_of(const Packing& packing, int step) {
  Bytes sum = 0, slack = 0;
  for (const Block& block : packing.blocks) {
    if (block.life.first > step || block.life.end <= step) continue;
    const Bytes rounded = round_up(block.size, packing.alignment);
    sum += rounded;
    slack = std::max(slack, rounded - block.size);
  }
  for (const Overlapping& group : packing.groups) {
    if (group.step != step) continue;
    Bytes apart = 0;
    for (const int b : group.blocks)
      apart += round_up(packing.blocks[static_cast<size_t>(b)].size, packing.alignment);
    const Bytes together = round_up(group.span, packing.alignment);
    return std::min(sum - slack, sum - apart + together - std::max(slack, together - group.span));
  }
  return sum - slack;
}

Bytes bound_of(const Packing& packing) {
  Bytes bound = 0;
  for (const Block& newest : packing.blocks) bound = std::max(bound, load_of(packing, newest.life.first));
  return bound;
}

Bytes lower_bound(const Problem& problem) {
  const Blocks made = blocks_of(problem);
  std::vector<int> all(made.blocks.size());
  std::iota(all.begin(), all.end(), 0);
  return bound_of(packing_of(problem, made, all, alignment_of(problem, 0)));
}

}  // namespace n2d2::memory
