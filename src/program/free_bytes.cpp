#include "n2d2/program/free_bytes.hpp"

#include <algorithm>
#include <set>

#include "n2d2/program/plan.hpp"

namespace n2d2::program {

namespace {

using Mask = std::vector<bool>;

/// Marks the used bytes of a view.
void mark(const View& view, std::vector<Mask>& masks) {
  Mask& mask = masks[static_cast<size_t>(view.place.value().memory)];
  for (int y = 0; y < view.h; ++y)
    for (int x = 0; x < view.w; ++x) {
      const auto first = mask.begin() + view.place->offset + view.row_at(y) + x * view.pixel;
      std::fill(first, first + view.used(), true);
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

/// A view that calls fill, or that comes from outside, and when its bytes are needed.
struct Filled {
  const View* view = nullptr;
  CallId from = kNone;  ///< the call that fills it; kNone: there from the start
  int end = 0;          ///< one past the last call that needs it
};

ViewId root_of(const Program& program, ViewId id) {
  while (program.view(id).host != kNone) id = program.view(id).host;
  return id;
}

std::vector<Filled> filled_views(const Program& program) {
  const memory::Problem problem = memory_problem(program);
  const int never = static_cast<int>(program.calls.size()) + 1;
  std::vector<CallId> filler(program.views.size(), never);
  std::vector<bool> root_is_written(program.views.size(), false), root_is_kept(program.views.size(), false);
  for (CallId c = 0; c < static_cast<CallId>(program.calls.size()); ++c)
    for (const ViewId out : program.call(c).out) {
      filler[static_cast<size_t>(out)] = c;
      root_is_written[static_cast<size_t>(root_of(program, out))] = true;
    }
  for (ViewId v = 0; v < static_cast<ViewId>(program.views.size()); ++v)
    if (program.view(v).keep) root_is_kept[static_cast<size_t>(root_of(program, v))] = true;
  std::vector<Filled> out;
  size_t buffer = 0;
  for (ViewId v = 0; v < static_cast<ViewId>(program.views.size()); ++v) {
    const View& view = program.view(v);
    if (view.outside) continue;
    const int end = problem.buffers.at(buffer++).life.end;
    const auto root = static_cast<size_t>(root_of(program, v));
    const bool from_outside = view.host == kNone && !root_is_written[root];
    const CallId from = from_outside ? kNone : filler[static_cast<size_t>(v)];
    if (from != never) out.push_back({&view, from, root_is_kept[root] ? never : end});
  }
  return out;
}

}  // namespace

std::vector<std::vector<FreeBytes>> free_bytes(const Program& program) {
  const std::vector<Filled> filled = filled_views(program);
  std::vector<std::vector<FreeBytes>> out;
  for (CallId call = 0; call <= static_cast<CallId>(program.calls.size()); ++call) {
    std::vector<Mask> masks;
    for (const Memory& memory : program.memories) masks.emplace_back(static_cast<size_t>(memory.peak), false);
    for (const Filled& each : filled)
      if (each.from < call && call < each.end) mark(*each.view, masks);
    out.emplace_back();
    for (size_t m = 0; m < masks.size(); ++m)
      append_free(masks[m], static_cast<memory::MemoryId>(m), out.back());
  }
  return out;
}

}  // namespace n2d2::program
