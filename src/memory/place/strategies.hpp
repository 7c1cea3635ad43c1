// How does a strategy plug in? One line in the table of strategies.cpp each.
#pragma once

#include <functional>

#include "n2d2/base/registry.hpp"
#include "n2d2/memory/strategy.hpp"

#include "placement.hpp"

namespace n2d2::memory {

struct Strategy {
  /// Offsets of the blocks, no two of which meet during their lives.
  std::function<std::vector<Bytes>(std::span<const Block> blocks, Bytes alignment)> place;
  bool improve = true;      ///< may be followed by the search
  bool candidate = true;    ///< one of those OptimizeBest runs
  bool exhaustive = false;  ///< the search runs without a limit
};
using Strategies = Registry<Strategy>;

/// All of them, by the names of `MemoryManagerStrategy`.
const Strategies& strategies();

}  // namespace n2d2::memory
