// Which values need no memory of their own for each sample of a batch?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages.hpp"

namespace n2d2::compute {

/// Values that are written and read in one stage only live while a thread runs a block: they share memory of
/// the thread, which stays in its caches from block to block.
struct LanePlan {
  /// By ValueId: floats from the start of the thread's memory; none for a value of the whole batch.
  std::vector<std::optional<int64_t>> offset;
  /// Floats that a thread needs.
  int64_t size = 0;
};

/// The outputs of the graph keep the whole batch. `values`: one more than the largest ValueId.
LanePlan plan_lanes(const graph::Graph& graph, const std::vector<Item>& items,
                    const std::vector<Stage>& stages, size_t values);

}  // namespace n2d2::compute
