#include <algorithm>
#include <optional>
#include <set>

#include "n2d2/memory/strategy.hpp"

#include "packing.hpp"

namespace n2d2::memory {

Bytes bound_of(std::span<const Block> blocks, Bytes alignment) {
  Bytes bound = 0;
  for (const Block& newest : blocks) {  // the live bytes can only grow where a block is born
    Bytes sum = 0, gain = 0;
    for (const Block& block : blocks) {
      if (block.life.first > newest.life.first || block.life.end <= newest.life.first) continue;
      const Bytes rounded = round_up(block.size, alignment);
      sum += rounded;
      gain = std::max(gain, rounded - block.size);
    }
    bound = std::max(bound, sum - gain);
  }
  return bound;
}

Bytes load_of(const Packing& packing, int step) {
  Bytes sum = 0, slack = 0;
  for (const Block& block : packing.blocks) {
    if (block.life.first > step || block.life.end <= step) continue;
    const Bytes rounded = round_up(block.size, packing.alignment);
    sum += rounded;
    slack = std::max(slack, rounded - block.size);
  }
  for (const Overlapping& group : packing.groups) {
    if (group.step != step) continue;
    Bytes apart = 0;
    for (const int b : group.blocks)
      apart += round_up(packing.blocks[static_cast<size_t>(b)].size, packing.alignment);
    const Bytes together = round_up(group.span, packing.alignment);
    return std::min(sum - slack, sum - apart + together - std::max(slack, together - group.span));
  }
  return sum - slack;
}

Bytes bound_of(const Packing& packing) {
  Bytes bound = 0;
  for (const Block& newest : packing.blocks) bound = std::max(bound, load_of(packing, newest.life.first));
  return bound;
}

namespace {

Packing in_one_memory(const Problem& problem) {
  const Blocks made = blocks_of(problem);
  std::vector<int> all(made.blocks.size());
  std::iota(all.begin(), all.end(), 0);
  return packing_of(problem, made, all, alignment_of(problem, 0), Distances::AnyPlan);
}

}  // namespace

Bytes lower_bound(const Problem& problem) {
  return bound_of(in_one_memory(problem));
}

std::vector<Bytes> lower_bounds_of_steps(const Problem& problem) {
  const Packing packing = in_one_memory(problem);
  std::vector<Bytes> out;
  for (StepId t = 0; t < static_cast<StepId>(problem.steps.size()); ++t) out.push_back(load_of(packing, t));
  return out;
}

namespace {

using MemorySet = std::set<MemoryId>;

MemorySet all_memories(const Problem& problem) {
  MemorySet all;
  for (size_t m = 0; m < problem.memories.size(); ++m) all.insert(static_cast<MemoryId>(m));
  return all;
}

/// Returns, for each block, the memories in which it may be allocated.
std::vector<MemorySet> memories_of_blocks(const Problem& problem, const Blocks& made) {
  std::vector<MemorySet> out(made.blocks.size(), all_memories(problem));
  const auto limit = [&](int block, const std::vector<MemoryId>& memories) {
    if (!memories.empty()) out[static_cast<size_t>(block)] = {memories.begin(), memories.end()};
  };
  for (size_t b = 0; b < problem.buffers.size(); ++b)
    if (!problem.buffers[b].inside) limit(made.of_buffer[b], problem.buffers[b].memories);
  for (size_t t = 0; t < problem.steps.size(); ++t)
    if (made.of_step[t] != kNone) limit(made.of_step[t], problem.steps[t].scratch_memories);
  return out;
}

/// None: one of them is unlimited.
std::optional<Bytes> capacity_of(const Problem& problem, const MemorySet& memories) {
  Bytes sum = 0;
  for (const MemoryId m : memories) {
    const Bytes capacity = problem.memories[static_cast<size_t>(m)].capacity;
    if (capacity == 0) return std::nullopt;
    sum += capacity;
  }
  return sum;
}

}  // namespace

std::vector<Bytes> excess_of_steps(const Problem& problem) {
  std::vector<Bytes> out(problem.steps.size(), 0);
  const auto is_limited = [](const Memory& memory) { return memory.capacity > 0; };
  if (std::none_of(problem.memories.begin(), problem.memories.end(), is_limited)) return out;
  const Blocks made = blocks_of(problem);
  const std::vector<MemorySet> memories_of = memories_of_blocks(problem, made);
  std::set<MemorySet> sets(memories_of.begin(), memories_of.end());
  sets.insert(all_memories(problem));
  for (const MemorySet& memories : sets) {
    const std::optional<Bytes> capacity = capacity_of(problem, memories);
    if (!capacity) continue;
    std::vector<int> members;
    for (size_t i = 0; i < memories_of.size(); ++i)
      if (std::includes(memories.begin(), memories.end(), memories_of[i].begin(), memories_of[i].end()))
        members.push_back(static_cast<int>(i));
    const bool is_one = memories.size() == 1;
    const Bytes unit = is_one ? alignment_of(problem, *memories.begin()) : problem.alignment;
    const Bytes on_top =
        (static_cast<Bytes>(memories.size()) - 1) * (unit - 1);  // what ends a memory needs no rounding
    const Packing packing = packing_of(problem, made, members, unit, Distances::AnyPlan);
    for (size_t t = 0; t < out.size(); ++t)
      out[t] = std::max(out[t], load_of(packing, static_cast<StepId>(t)) - on_top - *capacity);
  }
  return out;
}

StepId step_of_lower_bound(const Problem& problem) {
  const std::vector<Bytes> loads = lower_bounds_of_steps(problem);
  const auto most = std::max_element(loads.begin(), loads.end());
  return most == loads.end() ? kNone : static_cast<StepId>(most - loads.begin());
}

std::vector<Bytes> lower_bounds(const Problem& problem, const Plan& plan) {
  const Blocks made = blocks_of(problem);
  std::vector<std::vector<int>> members(problem.memories.size());
  std::vector<MemoryId> memory_of(made.blocks.size(), 0);
  const auto put = [&](int block, SpaceId space) {
    memory_of[static_cast<size_t>(block)] = plan.spaces.at(static_cast<size_t>(space)).memory;
  };
  for (size_t b = 0; b < problem.buffers.size(); ++b) put(made.of_buffer[b], plan.views.at(b).space);
  for (size_t t = 0; t < problem.steps.size(); ++t)
    if (made.of_step[t] != kNone) put(made.of_step[t], plan.scratch_of_step.at(t));
  for (size_t i = 0; i < made.blocks.size(); ++i)
    members[static_cast<size_t>(memory_of[i])].push_back(static_cast<int>(i));
  std::vector<Bytes> bounds;
  for (size_t m = 0; m < members.size(); ++m)
    bounds.push_back(bound_of(packing_of(
        problem, made, members[m], alignment_of(problem, static_cast<MemoryId>(m)), Distances::AnyPlan)));
  return bounds;
}

}  // namespace n2d2::memory
