// Which nodes run one after the other on the same few samples?
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel.hpp"

namespace n2d2::compute {

/// One node as it runs.
struct Item {
  KernelContext context;
  std::unique_ptr<Kernel> kernel;
  /// Set by the last backward: gradients flowed through the node; inputs whose gradient is added to what
  /// another node wrote before.
  bool active = false;
  std::vector<bool> adds;
  /// Samples of a block where the node runs forward, and where it gathers for that (the same when it does
  /// not).
  int64_t block = 1, gather_block = 1;
};

/// Items run one after the other on each block; then one of them combines what it gathered from all blocks.
struct Stage {
  struct Step {
    size_t item;
    bool gathers;
  };
  std::vector<Step> steps;
  std::optional<size_t> combines;
  int64_t block = 1;
};

/// Cuts a sequence of items where one mixes samples, and where the size of the blocks changes.
std::vector<Stage> cut_stages(const std::vector<size_t>& order, const std::vector<Item>& items,
                              bool is_backward);

/// The stages of a forward pass over all items, and the sizes of their blocks. What one node writes is then
/// still in the second cache when the next one reads it. The sizes follow from shapes alone: the machine
/// changes no sum over blocks.
///   training: one size between two items that mix samples. Layers with small maps, which are those with many
///             weights, lie behind the last of them; they add fewer weight gradients.
///   else:     blocks grow along the network as the values behind a node become smaller, so that weights are
///             read once for several samples.
std::vector<Stage> plan_forward(std::vector<Item>& items, bool training);

}  // namespace n2d2::compute
