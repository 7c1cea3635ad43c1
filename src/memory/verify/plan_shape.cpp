#include "plan_shape.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace n2d2::memory {

namespace {

/// Counts, places and pitches: what must hold before addresses mean anything.
class ShapeCheck {
 public:
  ShapeCheck(const Problem& problem, const Plan& plan) : p_(problem), plan_(plan) {}

  std::vector<Violation> run() {
    if (plan_.views.size() != p_.buffers.size() || plan_.scan_of_step.size() != p_.steps.size() ||
        plan_.scratch_of_step.size() != p_.steps.size()) {
      add(Kind::BadShape, kNone, kNone,
          "the plan has {} views, {} scans and {} scratch spaces for {} buffers and {} steps",
          plan_.views.size(), plan_.scan_of_step.size(), plan_.scratch_of_step.size(), p_.buffers.size(),
          p_.steps.size());
      return std::move(found_);
    }
    for (size_t s = 0; s < plan_.spaces.size(); ++s) space(s);
    peaks();
    for (size_t b = 0; b < p_.buffers.size(); ++b) view(static_cast<int>(b));
    for (size_t t = 0; t < p_.steps.size(); ++t) scratch(static_cast<int>(t));
    return std::move(found_);
  }

 private:
  using Kind = Violation::Kind;

  template <class... Args>
  void add(Kind kind, int step, int buffer, fmt::format_string<Args...> format, Args&&... args) {
    found_.push_back({kind, step, buffer, fmt::format(format, std::forward<Args>(args)...)});
  }
  bool space_exists(SpaceId s) const { return s >= 0 && s < static_cast<SpaceId>(plan_.spaces.size()); }

  void space(size_t index) {
    const Space& s = plan_.spaces[index];
    if (s.memory < 0 || s.memory >= static_cast<MemoryId>(p_.memories.size()))
      return add(Kind::BadShape, kNone, kNone, "space {} is in memory number {}, which does not exist", index,
                 s.memory);
    const Memory& memory = p_.memories[static_cast<size_t>(s.memory)];
    if (s.offset < 0 || s.size < 0 || (memory.capacity > 0 && s.offset + s.size > memory.capacity))
      add(Kind::OutOfSpace, kNone, kNone, "space {} occupies bytes {} to {} of memory '{}', which has {}",
          index, s.offset, s.offset + s.size, memory.name, memory.capacity);
    if (s.offset % p_.alignment != 0 || s.offset % memory.alignment != 0)
      add(Kind::BadAlignment, kNone, kNone, "space {} starts at byte {}, not at a multiple of {}", index,
          s.offset, std::lcm(p_.alignment, memory.alignment));
  }

  void peaks() {
    if (plan_.peaks.size() != p_.memories.size())
      return add(Kind::BadShape, kNone, kNone, "the plan states {} peaks for {} memories", plan_.peaks.size(),
                 p_.memories.size());
    for (size_t m = 0; m < p_.memories.size(); ++m) {
      Bytes peak = 0;
      for (const Space& s : plan_.spaces)
        if (s.memory == static_cast<MemoryId>(m)) peak = std::max(peak, s.offset + s.size);
      if (peak != plan_.peaks[m])
        add(Kind::BadPeak, kNone, kNone, "the stated peak of memory '{}' is {} bytes, its spaces end at {}",
            p_.memories[m].name, plan_.peaks[m], peak);
    }
  }

  void view(int b) {
    const Buffer& buffer = p_.buffers[static_cast<size_t>(b)];
    const View& v = plan_.views[static_cast<size_t>(b)];
    if (!space_exists(v.space))
      return add(Kind::BadShape, kNone, b, "'{}' is in space {}, which does not exist", buffer.name, v.space);
    if (v.pixel != buffer.pixel || v.row != buffer.row() || v.width != buffer.width ||
        v.height != buffer.height)
      return add(Kind::BadShape, kNone, b,
                 "'{}' is {} x {} pixels of {} bytes, its view {} x {} of {}, rows of {}", buffer.name,
                 buffer.width, buffer.height, buffer.pixel, v.width, v.height, v.pixel, v.row);
    const Space& s = plan_.spaces[static_cast<size_t>(v.space)];
    if (!may_lie(buffer.memories, s.memory))
      add(Kind::BadShape, kNone, b, "'{}' is in memory number {}, where it may not lie", buffer.name,
          s.memory);
    const Bytes total = buffer.size();
    if (v.wrap < 0 || v.wrap >= total || v.wrap % v.row != 0)
      return add(Kind::BadShape, kNone, b,
                 "'{}' wraps after {} bytes, expected whole rows of {} and less than {}", buffer.name, v.wrap,
                 v.row, total);
    const Bytes unused = buffer.pixel - buffer.used;  // of the last pixel: may stick out
    const Bytes first = (v.wrap == 0 ? total : v.wrap) - unused;
    const Bytes second = v.wrap == 0 ? 0 : total - v.wrap - unused;
    if (v.offset < 0 || v.offset + first > s.size || second > s.size)
      add(Kind::OutOfSpace, kNone, b, "'{}' needs {} bytes from {} and {} from 0, its space has {}",
          buffer.name, first, v.offset, second, s.size);
    if (!s.life.covers(buffer.life))
      add(Kind::ShortLife, kNone, b, "'{}' lives during [{}, {}), its space during [{}, {})", buffer.name,
          buffer.life.first, buffer.life.end, s.life.first, s.life.end);
  }

  static bool may_lie(const std::vector<MemoryId>& allowed, MemoryId memory) {
    return allowed.empty() || std::find(allowed.begin(), allowed.end(), memory) != allowed.end();
  }

  void scratch(int t) {
    const Step& step = p_.steps[static_cast<size_t>(t)];
    if (step.scratch == 0) return;
    const SpaceId id = plan_.scratch_of_step[static_cast<size_t>(t)];
    if (!space_exists(id))
      return add(Kind::BadShape, t, kNone, "step '{}' has its scratch in space {}, which does not exist",
                 step.name, id);
    const Space& s = plan_.spaces[static_cast<size_t>(id)];
    if (!may_lie(step.scratch_memories, s.memory))
      add(Kind::BadShape, t, kNone, "step '{}' has its scratch in memory number {}, where it may not lie",
          step.name, s.memory);
    if (s.size < step.scratch)
      add(Kind::OutOfSpace, t, kNone, "step '{}' needs {} bytes of scratch, its space has {}", step.name,
          step.scratch, s.size);
    if (!s.life.covers({t, t + 1}))
      add(Kind::ShortLife, t, kNone, "step {} '{}' has its scratch in a space that lives during [{}, {})", t,
          step.name, s.life.first, s.life.end);
  }

  const Problem& p_;
  const Plan& plan_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> shape_violations(const Problem& problem, const Plan& plan) {
  return ShapeCheck(problem, plan).run();
}

}  // namespace n2d2::memory
