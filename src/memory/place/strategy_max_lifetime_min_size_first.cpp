// OptimizeMaxLifetimeMinSizeFirst: first fit, longest lifetime first, then smallest size.
#include <tuple>

#include "strategies.hpp"

namespace n2d2::memory {

void register_strategy_max_lifetime_min_size_first(Strategies& registry);
void register_strategy_max_lifetime_min_size_first(Strategies& registry) {
  const auto place = [](std::span<const Block> blocks, Bytes alignment) {
    const auto before = [](const Block& a, const Block& b) {
      return std::tuple(-length(a.life), a.size) < std::tuple(-length(b.life), b.size);
    };
    return first_fit(blocks, sorted_blocks(blocks, before), alignment);
  };
  registry.add("OptimizeMaxLifetimeMinSizeFirst", {.place = place});
}

}  // namespace n2d2::memory
