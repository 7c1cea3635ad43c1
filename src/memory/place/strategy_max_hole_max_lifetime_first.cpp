// OptimizeMaxHoleMaxLifetimeFirst: first fit, largest hole first, then longest lifetime.
#include <tuple>

#include "strategies.hpp"

namespace n2d2::memory {

void register_strategy_max_hole_max_lifetime_first(Strategies& registry);
void register_strategy_max_hole_max_lifetime_first(Strategies& registry) {
  const auto place = [](std::span<const Block> blocks, Bytes alignment) {
    const auto before = [](const Block& a, const Block& b) {
      return std::tuple(-a.hole, -length(a.life)) < std::tuple(-b.hole, -length(b.life));
    };
    return first_fit(blocks, sorted_blocks(blocks, before), alignment);
  };
  registry.add("OptimizeMaxHoleMaxLifetimeFirst", {.place = place});
}

}  // namespace n2d2::memory
