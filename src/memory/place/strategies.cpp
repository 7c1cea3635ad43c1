#include "strategies.hpp"

#include <tuple>

namespace n2d2::memory {

namespace {

/// First fit in the order of a key, lowest first; blocks of one key in the order in which steps create them.
template <class Key>
Strategy first_fit_by(Key key) {
  return {.place = [key](std::span<const Block> blocks, Bytes alignment) {
    const auto before = [&](const Block& a, const Block& b) { return key(a) < key(b); };
    return first_fit(blocks, sorted_blocks(blocks, before), alignment);
  }};
}

/// The lowest peak of all candidates; among equals the first by name.
std::vector<Bytes> lowest_of_candidates(std::span<const Block> blocks, Bytes alignment) {
  std::vector<Bytes> best;
  for (const std::string& name : strategies().names()) {
    const Strategy& strategy = *strategies().find(name);
    if (!strategy.candidate) continue;
    auto offsets = strategy.place(blocks, alignment);
    if (best.empty() || peak_of(blocks, offsets) < peak_of(blocks, best)) best = std::move(offsets);
  }
  return best;
}

Strategies all_strategies() {
  Strategies all;
  Strategy by_birth = first_fit_by([](const Block& b) { return b.life.first; });
  by_birth.improve = false;
  all.add("None", by_birth);
  all.add("OptimizeBest", {.place = lowest_of_candidates, .candidate = false});
  all.add("OptimizeExact", {.place = lowest_of_candidates, .candidate = false, .exhaustive = true});
  all.add("OptimizeMaxHoleMaxLifetimeFirst",
          first_fit_by([](const Block& b) { return std::tuple(-b.hole, -length(b.life)); }));
  all.add("OptimizeMaxLifetimeMaxSizeFirst",
          first_fit_by([](const Block& b) { return std::tuple(-length(b.life), -b.size); }));
  all.add("OptimizeMaxLifetimeMinSizeFirst",
          first_fit_by([](const Block& b) { return std::tuple(-length(b.life), b.size); }));
  return all;
}

}  // namespace

const Strategies& strategies() {
  static const Strategies all = all_strategies();
  return all;
}

std::vector<std::string> strategy_names() {
  return strategies().names();
}

}  // namespace n2d2::memory
