#include "n2d2/program/free_bytes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "n2d2/program/schedule.hpp"

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

void mark(const Place& place, Bytes size, std::vector<Mask>& masks) {
  const auto first = masks[static_cast<size_t>(place.memory)].begin() + place.offset;
  std::fill(first, first + size, true);
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
  CallId from = kNone;  ///< the first call that fills it; kNone: there from the start
  int end = 0;          ///< one past the last call that needs it
};

class Lives {
 public:
  explicit Lives(const Program& program) : p_(program) {}

  std::vector<Filled> filled() const {
    const int never = static_cast<int>(p_.calls.size()) + 1;
    std::map<ViewId, Filled> out;
    std::set<ViewId> written_roots;
    for (CallId c = 0; c < static_cast<CallId>(p_.calls.size()); ++c)
      for (const ViewId id : p_.call(c).out) {
        const ViewId view = same_bytes(id);
        out.try_emplace(view, Filled{&p_.view(view), c, c + 1});
        written_roots.insert(p_.root_of(view));
      }
    for (ViewId v = 0; v < static_cast<ViewId>(p_.views.size()); ++v)
      if (p_.view(v).host == kNone && !written_roots.contains(v))
        out.try_emplace(v, Filled{&p_.view(v), kNone, 0});
    for (CallId c = 0; c < static_cast<CallId>(p_.calls.size()); ++c)
      for (const ViewId read : p_.call(c).in)
        for (auto& [view, of] : out)
          if (p_.lies_in(same_bytes(read), view) || p_.lies_in(view, same_bytes(read)))
            of.end = std::max(of.end, c + 1);
    std::vector<Filled> list;
    const std::set<ViewId> kept = kept_roots();
    for (auto& [view, of] : out) {
      if (of.view->outside) continue;
      if (kept.contains(p_.root_of(view))) of.end = never;
      list.push_back(of);
    }
    return list;
  }

 private:
  /// All bytes of a view that has none between its values; 0 where there are some.
  static Bytes whole_bytes(const View& view) {
    const bool is_dense = view.ring == 0 && view.pixel == view.used() && view.row == view.w * view.pixel;
    return is_dense ? view.h * view.row : 0;
  }
  /// A view that is another name for all bytes of its host is the host, whatever its pixels are.
  ViewId same_bytes(ViewId id) const {
    for (;;) {
      const View& view = p_.view(id);
      if (view.host == kNone) return id;
      const View& host = p_.view(view.host);
      const bool has_its_pixels = view.used() == host.used() && view.pixel == host.pixel &&
                                  int64_t{view.h} * view.w == int64_t{host.h} * host.w;
      const bool is_whole = whole_bytes(view) > 0 && whole_bytes(view) == whole_bytes(host);
      if (view.inside != 0 || !(has_its_pixels || is_whole)) return id;
      id = view.host;
    }
  }
  std::set<ViewId> kept_roots() const {
    std::set<ViewId> out;
    for (ViewId v = 0; v < static_cast<ViewId>(p_.views.size()); ++v)
      if (p_.view(v).keep) out.insert(p_.root_of(v));
    return out;
  }

  const Program& p_;
};

}  // namespace

std::vector<std::vector<FreeBytes>> free_bytes(const Program& program) {
  const std::vector<Filled> filled = Lives(program).filled();
  std::vector<std::vector<FreeBytes>> out;
  for (CallId call = 0; call <= static_cast<CallId>(program.calls.size()); ++call) {
    out.emplace_back();
    const Region* region =
        call < static_cast<CallId>(program.calls.size()) ? program.region_of(call) : nullptr;
    if (region != nullptr && call > region->first) continue;
    std::vector<Mask> masks;
    for (const Memory& memory : program.memories) masks.emplace_back(static_cast<size_t>(memory.peak), false);
    for (const Filled& each : filled)
      if (each.from < call && call < each.end) mark(*each.view, masks);
    for (const Call& owner : program.calls)
      if (owner.state) mark(*owner.state, owner.contract.state, masks);
    for (size_t m = 0; m < masks.size(); ++m)
      append_free(masks[m], static_cast<memory::MemoryId>(m), out.back());
  }
  return out;
}

}  // namespace n2d2::program
