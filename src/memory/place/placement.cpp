#include "placement.hpp"

#include <map>

namespace n2d2::memory {

namespace {

/// Most unused bytes of a root at a step in which views of it are born.
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

std::vector<Bytes> first_fit(std::span<const Block> blocks, std::span<const int> order, Bytes alignment) {
  std::vector<Bytes> offsets(blocks.size(), 0);
  std::vector<int> by_offset;  // placed so far, lowest first
  for (const int id : order) {
    const Block& block = blocks[static_cast<size_t>(id)];
    Bytes offset = 0;
    for (const int other : by_offset) {
      const auto o = static_cast<size_t>(other);
      if (!block.life.overlaps(blocks[o].life)) continue;
      if (offset + block.size <= offsets[o]) break;
      offset = std::max(offset, round_up(offsets[o] + blocks[o].size, alignment));
    }
    offsets[static_cast<size_t>(id)] = offset;
    const auto place =
        std::upper_bound(by_offset.begin(), by_offset.end(), offset,
                         [&](Bytes value, int other) { return value < offsets[static_cast<size_t>(other)]; });
    by_offset.insert(place, id);
  }
  return offsets;
}

Bytes peak_of(std::span<const Block> blocks, std::span<const Bytes> offsets) {
  Bytes peak = 0;
  for (size_t i = 0; i < blocks.size(); ++i) peak = std::max(peak, offsets[i] + blocks[i].size);
  return peak;
}

}  // namespace n2d2::memory
