#include "stages.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "samples.hpp"

namespace n2d2::compute {

namespace {

/// Samples of a block whose largest value takes so many elements a sample.
int64_t samples_of_block(int64_t elements) {
  constexpr int64_t kBlockBytes = 1024 * 1024, kMost = 16;
  const int64_t bytes = elements * static_cast<int64_t>(sizeof(float));
  return static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::clamp<int64_t>(kBlockBytes / bytes, 1, kMost))));
}

/// Elements of the largest activation that a step reads or writes.
int64_t largest_value(const Item& item, bool gathers) {
  int64_t largest = 1;
  const auto meet = [&](graph::ValueId id) {
    const graph::Value& value = item.context.graph.value(id);
    if (!value.is_constant()) largest = std::max(largest, sample_size(value.type.shape));
  };
  const graph::Node& node = item.context.node;
  std::for_each(node.inputs.begin(), node.inputs.end(), meet);
  if (!gathers) std::for_each(node.outputs.begin(), node.outputs.end(), meet);
  return largest;
}

void choose_block_of_each_stage(std::vector<Stage>& stages, std::vector<Item>& items) {
  for (Stage& stage : stages) {
    int64_t largest = 1;
    for (const Stage::Step& step : stage.steps)
      largest = std::max(largest, largest_value(items[step.item], step.gathers));
    stage.block = samples_of_block(largest);
    for (const Stage::Step& step : stage.steps) {
      Item& item = items[step.item];
      if (step.gathers || !item.kernel->mixes()) item.gather_block = stage.block;
      if (!step.gathers) item.block = stage.block;
    }
  }
}

void choose_growing_blocks(std::vector<Item>& items) {
  int64_t largest = 1;
  for (size_t i = items.size(); i-- > 0;) {
    largest = std::max(largest, largest_value(items[i], false));
    items[i].block = items[i].gather_block = samples_of_block(largest);
  }
}

}  // namespace

std::vector<Stage> cut_stages(const std::vector<size_t>& order, const std::vector<Item>& items,
                              bool is_backward) {
  std::vector<Stage> stages(1);
  const auto push = [&](size_t index, bool gathers) {
    // What gathers at the end of a stage forward begins that stage backward.
    const Item& item = items[index];
    const int64_t block = gathers != is_backward ? item.gather_block : item.block;
    if (!stages.back().steps.empty() && stages.back().block != block) stages.emplace_back();
    stages.back().steps.push_back({index, gathers});
    stages.back().block = block;
  };
  for (const size_t item : order) {
    if (items[item].kernel->mixes()) {
      push(item, true);
      stages.back().combines = item;
      stages.emplace_back();
    }
    push(item, false);
  }
  return stages;
}

std::vector<Stage> plan_forward(std::vector<Item>& items, bool training) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (!training) choose_growing_blocks(items);
  std::vector<Stage> stages = cut_stages(order, items, false);
  if (training) choose_block_of_each_stage(stages, items);
  return stages;
}

}  // namespace n2d2::compute
