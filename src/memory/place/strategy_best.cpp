// OptimizeBest: all first-fit orders, the lowest peak wins; among equals the first by name.
#include "strategies.hpp"

namespace n2d2::memory {

namespace {

std::vector<Bytes> place_best(std::span<const Block> blocks, Bytes alignment) {
  std::vector<Bytes> best;
  for (const std::string& name : strategies().names()) {
    const Strategy& strategy = *strategies().find(name);
    if (!strategy.candidate) continue;
    auto offsets = strategy.place(blocks, alignment);
    if (best.empty() || peak_of(blocks, offsets) < peak_of(blocks, best)) best = std::move(offsets);
  }
  return best;
}

}  // namespace

void register_strategy_best(Strategies& registry);
void register_strategy_best(Strategies& registry) {
  registry.add("OptimizeBest", {.place = place_best, .candidate = false});
}

}  // namespace n2d2::memory
