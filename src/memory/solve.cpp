#include <map>

#include "n2d2/memory/strategy.hpp"

#include "placement.hpp"
#include "search.hpp"
#include "strategies.hpp"

namespace n2d2::memory {

void register_all_strategies(Strategies& registry);

const Strategies& strategies() {
  static const Strategies all = [] {
    Strategies registry;
    register_all_strategies(registry);
    return registry;
  }();
  return all;
}

std::vector<std::string> strategy_names() {
  return strategies().names();
}

namespace {

/// Most unused bytes of a root at a step in which views of it are born (spec memory-map 5).
Bytes hole_of(const Problem& problem, BufferId root, const std::vector<BufferId>& members) {
  std::map<int, Bytes> born;
  for (const BufferId b : members) {
    const bool host_only = b == root && members.size() > 1;
    const Buffer& buffer = problem.buffers[static_cast<size_t>(b)];
    if (!host_only) born[buffer.life.first] += buffer.size();
  }
  const Bytes size = problem.buffers[static_cast<size_t>(root)].size();
  Bytes hole = 0;
  for (const auto& [step, bytes] : born) hole = std::max(hole, size - bytes);
  return hole;
}

Bytes place_in_space(const Problem& problem, BufferId buffer) {
  const auto& inside = problem.buffers[static_cast<size_t>(buffer)].inside;
  return inside ? inside->offset + place_in_space(problem, inside->buffer) : 0;
}

}  // namespace

Blocks blocks_of(const Problem& problem) {
  Blocks out;
  out.of_buffer.assign(problem.buffers.size(), kNone);
  std::vector<std::vector<BufferId>> members(problem.buffers.size());
  for (size_t b = 0; b < problem.buffers.size(); ++b)
    members[static_cast<size_t>(root_of(problem, static_cast<BufferId>(b)))].push_back(
        static_cast<BufferId>(b));
  for (size_t root = 0; root < members.size(); ++root) {
    if (members[root].empty()) continue;
    const Buffer& buffer = problem.buffers[root];
    for (const BufferId b : members[root])
      out.of_buffer[static_cast<size_t>(b)] = static_cast<int>(out.blocks.size());
    out.blocks.push_back(
        {buffer.size(), buffer.life, hole_of(problem, static_cast<BufferId>(root), members[root])});
  }
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    const Bytes scratch = problem.steps[t].scratch;
    out.of_step.push_back(scratch > 0 ? static_cast<int>(out.blocks.size()) : kNone);
    if (scratch > 0) out.blocks.push_back({scratch, {static_cast<int>(t), static_cast<int>(t) + 1}, 0});
  }
  return out;
}

Plan solve(const Problem& problem, const SolveOptions& options) {
  const Strategy* strategy = strategies().find(options.strategy);
  if (strategy == nullptr)
    throw ConfigError("MemoryManagerStrategy: " + strategies().unknown("strategy", options.strategy));
  const auto wrong = faults(problem);
  N2D2_CHECK(wrong.empty(), "memory problem: {}", wrong.front().text);
  N2D2_CHECK(options.search_nodes >= 0, "search nodes: expected >= 0, got {}", options.search_nodes);

  const Blocks made = blocks_of(problem);
  auto offsets = strategy->place(made.blocks, problem.alignment);
  if (strategy->exhaustive || (strategy->improve && options.search_nodes > 0)) {
    const Bytes known = peak_of(made.blocks, offsets);
    const int64_t nodes = strategy->exhaustive ? 0 : options.search_nodes;
    if (auto better = search(made.blocks, problem.alignment, known, nodes)) offsets = std::move(*better);
  }

  Plan plan;
  plan.peaks.assign(problem.memories.size(), 0);
  plan.peaks[0] = peak_of(made.blocks, offsets);
  plan.scratch_of_step = made.of_step;
  plan.scan_of_step.assign(problem.steps.size(), Scan::TopDown);
  for (size_t i = 0; i < offsets.size(); ++i)
    plan.spaces.push_back({0, offsets[i], made.blocks[i].size, made.blocks[i].life});
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    plan.views.push_back({made.of_buffer[b], place_in_space(problem, static_cast<BufferId>(b)), buffer.pixel,
                          buffer.row(), 0, buffer.width, buffer.height});
  }
  return plan;
}

Plan solve(const Problem& problem, std::string_view strategy) {
  return solve(problem, {.strategy = std::string(strategy), .search_nodes = SolveOptions{}.search_nodes});
}

}  // namespace n2d2::memory
