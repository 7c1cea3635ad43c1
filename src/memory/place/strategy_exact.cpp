// OptimizeExact: the best first-fit order, then the search without a limit.
#include "strategies.hpp"

namespace n2d2::memory {

void register_strategy_exact(Strategies& registry);
void register_strategy_exact(Strategies& registry) {
  const auto place = [](std::span<const Block> blocks, Bytes alignment) {
    return strategies().find("OptimizeBest")->place(blocks, alignment);
  };
  registry.add("OptimizeExact", {.place = place, .candidate = false, .exhaustive = true});
}

}  // namespace n2d2::memory
