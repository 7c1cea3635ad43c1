#include "free_bytes.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace n2d2::exporter {

namespace {

using memory::Bytes;
using Mask = std::vector<bool>;

/// Marks the used bytes of a buffer.
void mark(const MemoryMap& map, memory::BufferId id, std::vector<Mask>& masks) {
  const memory::Buffer& buffer = map.problem.buffers[static_cast<size_t>(id)];
  const memory::View& view = map.plan.views[static_cast<size_t>(id)];
  const memory::Space& space = map.plan.spaces[static_cast<size_t>(view.space)];
  Mask& mask = masks[static_cast<size_t>(space.memory)];
  for (int y = 0; y < buffer.height; ++y) {
    const Bytes row = y * view.row;
    const Bytes start =
        space.offset + (view.wrap > 0 && row >= view.wrap ? row - view.wrap : view.offset + row);
    for (int x = 0; x < buffer.width; ++x) {
      const auto first = mask.begin() + start + x * view.pixel;
      std::fill(first, first + buffer.used, true);
    }
  }
}

/// Appends the unmarked runs; runs of one size at one distance become one entry.
void append_free(const Mask& mask, memory::MemoryId memory, std::vector<FreeBytes>& out) {
  const size_t begin = out.size();
  for (auto at = mask.begin(); at != mask.end();) {
    at = std::find(at, mask.end(), false);
    const auto end = std::find(at, mask.end(), true);
    const Bytes offset = at - mask.begin(), size = end - at;
    at = end;
    if (size == 0) break;
    if (out.size() > begin && out.back().size == size) {
      FreeBytes& last = out.back();
      const Bytes stride = offset - (last.offset + (last.count - 1) * last.stride);
      if (last.count == 1 || stride == last.stride) {
        last.stride = stride;
        ++last.count;
        continue;
      }
    }
    out.push_back({memory, offset, size, size, 1});
  }
}

/// Of each buffer the step that fills it: kNone for what comes from outside, nothing for what only names or
/// holds the bytes of others.
std::vector<std::optional<memory::StepId>> filling_steps(const memory::Problem& problem) {
  std::vector<std::optional<memory::StepId>> out(problem.buffers.size());
  std::vector<bool> root_is_written(problem.buffers.size(), false);
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    for (const memory::BufferId written : problem.steps[t].writes) {
      out[static_cast<size_t>(written)] = static_cast<memory::StepId>(t);
      root_is_written[static_cast<size_t>(memory::root_of(problem, written))] = true;
    }
  }
  for (size_t b = 0; b < out.size(); ++b)
    if (!problem.buffers[b].inside && !root_is_written[b]) out[b] = memory::kNone;
  return out;
}

std::set<memory::BufferId> kept_roots(const memory::Problem& problem) {
  std::set<memory::BufferId> out;
  for (size_t b = 0; b < problem.buffers.size(); ++b)
    if (problem.buffers[b].keep) out.insert(memory::root_of(problem, static_cast<memory::BufferId>(b)));
  return out;
}

}  // namespace

std::vector<FreeBytes> free_bytes(const MemoryMap& map, memory::StepId step) {
  const auto filled = filling_steps(map.problem);
  const auto kept = kept_roots(map.problem);
  std::vector<Mask> masks;
  for (const Bytes peak : map.plan.peaks) masks.emplace_back(static_cast<size_t>(peak), false);
  for (memory::BufferId b = 0; b < static_cast<memory::BufferId>(filled.size()); ++b) {
    const auto index = static_cast<size_t>(b);
    const bool needed =
        step < map.problem.buffers[index].life.end || kept.contains(memory::root_of(map.problem, b));
    if (filled[index] && *filled[index] < step && needed) mark(map, b, masks);
  }
  std::vector<FreeBytes> out;
  for (size_t m = 0; m < masks.size(); ++m) append_free(masks[m], static_cast<memory::MemoryId>(m), out);
  return out;
}

}  // namespace n2d2::exporter
