#include "families.hpp"

#include <algorithm>

namespace n2d2::memory {

namespace {

bool all_written(const Problem& problem, const Family& family) {
  return std::all_of(family.members.begin(), family.members.end(), [&](BufferId member) {
    return std::any_of(family.writers.begin(), family.writers.end(), [&](StepId t) {
      const auto& writes = problem.steps[static_cast<size_t>(t)].writes;
      return std::any_of(writes.begin(), writes.end(),
                         [&](BufferId written) { return related(problem, written, member); });
    });
  });
}

}  // namespace

bool related(const Problem& problem, BufferId a, BufferId b) {
  const auto lies_in = [&](BufferId inner, BufferId outer) {
    for (;; inner = problem.buffers[static_cast<size_t>(inner)].inside->buffer) {
      if (inner == outer) return true;
      if (!problem.buffers[static_cast<size_t>(inner)].inside) return false;
    }
  };
  return lies_in(a, b) || lies_in(b, a);
}

Families families_of(const Problem& problem) {
  Families out;
  const size_t count = problem.buffers.size();
  out.of_buffer.assign(count, kNone);
  out.place.assign(count, 0);
  std::vector<BufferId> root(count);
  for (size_t b = 0; b < count; ++b) {
    root[b] = root_of(problem, static_cast<BufferId>(b));
    if (root[b] != static_cast<BufferId>(b)) continue;
    out.of_buffer[b] = static_cast<int>(out.all.size());
    out.all.emplace_back().root = root[b];
  }
  for (size_t b = 0; b < count; ++b) {
    out.of_buffer[b] = out.of_buffer[static_cast<size_t>(root[b])];
    Family& family = out.all[static_cast<size_t>(out.of_buffer[b])];
    family.members.push_back(static_cast<BufferId>(b));
    family.keep = family.keep || problem.buffers[b].keep;
    for (size_t at = b; problem.buffers[at].inside;
         at = static_cast<size_t>(problem.buffers[at].inside->buffer))
      out.place[b] += problem.buffers[at].inside->offset;
  }
  const auto family = [&](BufferId b) -> Family& {
    return out.all[static_cast<size_t>(out.of_buffer[static_cast<size_t>(b)])];
  };
  for (StepId t = 0; t < static_cast<StepId>(problem.steps.size()); ++t) {
    const Step& step = problem.steps[static_cast<size_t>(t)];
    for (const Read& read : step.reads) {
      auto& readers = family(read.buffer).readers;
      if (readers.empty() || readers.back() != t) readers.push_back(t);
    }
    for (const BufferId b : step.writes) {
      auto& writers = family(b).writers;
      if (writers.empty() || writers.back() != t) writers.push_back(t);
    }
  }
  for (Family& f : out.all) f.made_inside = all_written(problem, f);
  return out;
}

std::optional<View> view_of_member(const Buffer& member, Bytes place, Bytes offset, Bytes wrap) {
  View view{0, offset + place, member.pixel, member.row(), 0, member.width, member.height};
  const Bytes end = place + member.size() - (member.pixel - member.used);
  if (wrap == 0 || end <= wrap) return view;
  if (place >= wrap) {
    view.offset = place - wrap;
    return view;
  }
  if ((wrap - place) % view.row != 0) return std::nullopt;
  view.wrap = wrap - place;
  return view;
}

}  // namespace n2d2::memory
