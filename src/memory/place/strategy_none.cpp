// None: first fit in the order in which the steps create the blocks; input first.
#include "strategies.hpp"

namespace n2d2::memory {

void register_strategy_none(Strategies& registry);
void register_strategy_none(Strategies& registry) {
  const auto place = [](std::span<const Block> blocks, Bytes alignment) {
    const auto older = [](const Block& a, const Block& b) { return a.life.first < b.life.first; };
    return first_fit(blocks, sorted_blocks(blocks, older), alignment);
  };
  registry.add("None", {.place = place, .improve = false});
}

}  // namespace n2d2::memory
