#include "n2d2/memory/problem.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "n2d2/base/error.hpp"

namespace n2d2::memory {

namespace {

constexpr Bytes kLargest = Bytes{1} << 40;

/// Who touches a buffer itself, without its host or the buffers inside it. kNone: nobody.
struct Touch {
  int writer = kNone;
  int last_reader = kNone;
};

std::vector<Touch> touches(const Problem& problem) {
  std::vector<Touch> out(problem.buffers.size());
  for (StepId t = 0; t < static_cast<StepId>(problem.steps.size()); ++t) {
    const Step& step = problem.steps[static_cast<size_t>(t)];
    for (const Read& read : step.reads) out[static_cast<size_t>(read.buffer)].last_reader = t;
    for (const BufferId b : step.writes)
      if (out[static_cast<size_t>(b)].writer == kNone) out[static_cast<size_t>(b)].writer = t;
  }
  return out;
}

/// The buffer, its host, the host's host, ...
template <class Visit>
void up(const Problem& problem, BufferId buffer, Visit visit) {
  for (;;) {
    visit(buffer);
    const auto& inside = problem.buffers[static_cast<size_t>(buffer)].inside;
    if (!inside) return;
    buffer = inside->buffer;
  }
}

/// Lives as the steps demand them; nothing for a buffer no step has to do with.
std::vector<std::optional<Lifetime>> demanded(const Problem& problem) {
  const auto touch = touches(problem);
  const size_t count = problem.buffers.size();
  constexpr int kNever = std::numeric_limits<int>::max();
  std::vector<int> written_inside(count, kNever);
  std::vector<bool> touched_root(count, false);
  for (size_t b = 0; b < count; ++b) {
    if (touch[b].writer == kNone && touch[b].last_reader == kNone) continue;
    touched_root[static_cast<size_t>(root_of(problem, static_cast<BufferId>(b)))] = true;
    up(problem, static_cast<BufferId>(b), [&](BufferId at) {
      if (touch[b].writer == kNone) return;
      int& first = written_inside[static_cast<size_t>(at)];
      first = std::min(first, touch[b].writer);
    });
  }
  std::vector<std::optional<Lifetime>> out(count);
  const int end_of_time = static_cast<int>(problem.steps.size());
  for (size_t b = 0; b < count; ++b) {
    const auto id = static_cast<BufferId>(b);
    if (!touched_root[static_cast<size_t>(root_of(problem, id))]) continue;
    int first = written_inside[b], end = 0;
    up(problem, id, [&](BufferId at) {
      const auto a = static_cast<size_t>(at);
      if (first == kNever && touch[a].writer != kNone) first = touch[a].writer;
      end = std::max(end, touch[a].last_reader + 1);
      if (problem.buffers[a].keep) end = end_of_time;
    });
    if (first == kNever) first = 0;
    out[b] = Lifetime{first, std::max(end, first + 1)};
  }
  for (size_t b = 0; b < count; ++b)  // a host lives as long as what is inside it
    if (out[b])
      up(problem, static_cast<BufferId>(b), [&](BufferId at) {
        Lifetime& life = *out[static_cast<size_t>(at)];
        life = {std::min(life.first, out[b]->first), std::max(life.end, out[b]->end)};
      });
  return out;
}

/// Position of a buffer's first byte in its root.
Bytes place_in_root(const Problem& problem, BufferId buffer) {
  Bytes offset = 0;
  up(problem, buffer, [&](BufferId at) {
    const auto& inside = problem.buffers[static_cast<size_t>(at)].inside;
    if (inside) offset += inside->offset;
  });
  return offset;
}

/// Whether two maps of one root may share bytes; exact for equal pitches, else by their extent from the first
/// to the last byte that carries a value.
bool may_share(const Buffer& a, Bytes start_a, const Buffer& b, Bytes start_b) {
  const auto extent = [](const Buffer& buffer) { return buffer.size() - buffer.pixel + buffer.used; };
  if (start_a + extent(a) <= start_b || start_b + extent(b) <= start_a) return false;
  if (a.pixel != b.pixel) return true;
  const Bytes distance = ((start_b - start_a) % a.pixel + a.pixel) % a.pixel;
  return distance < a.used || a.pixel - distance < b.used;
}

class FaultFinder {
 public:
  explicit FaultFinder(const Problem& problem) : p_(problem) {}

  std::vector<Fault> find() {
    if (p_.alignment < 1 || p_.alignment > kLargest)
      add(Fault::Subject::Problem, 0, "alignment: expected 1 .. {}, got {}", kLargest, p_.alignment);
    if (p_.memories.empty()) add(Fault::Subject::Problem, 0, "memories: expected at least 1, got none");
    for (const Memory& memory : p_.memories) {
      if (!memory_names_.insert(memory.name).second)
        add(Fault::Subject::Problem, 0, "memory '{}': another memory has the same name", memory.name);
      if (memory.capacity < 0 || memory.alignment < 1 || memory.alignment > kLargest)
        add(Fault::Subject::Problem, 0,
            "memory '{}': expected a capacity >= 0 and an alignment >= 1, got {}, {}", memory.name,
            memory.capacity, memory.alignment);
    }
    for (size_t b = 0; b < p_.buffers.size(); ++b) sizes(static_cast<int>(b));
    if (!found_.empty()) return std::move(found_);
    for (size_t b = 0; b < p_.buffers.size(); ++b) nesting(static_cast<int>(b));
    for (size_t t = 0; t < p_.steps.size(); ++t) references(static_cast<int>(t));
    if (found_.empty()) order();
    if (found_.empty()) lives();
    if (found_.empty()) written_twice();
    return std::move(found_);
  }

 private:
  template <class... Args>
  void add(Fault::Subject subject, int index, fmt::format_string<Args...> format, Args&&... args) {
    found_.push_back({subject, index, fmt::format(format, std::forward<Args>(args)...)});
  }
  template <class... Args>
  void buffer(int b, fmt::format_string<Args...> format, Args&&... args) {
    add(Fault::Subject::Buffer, b, "buffer '{}': {}", p_.buffers[static_cast<size_t>(b)].name,
        fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void step(int t, fmt::format_string<Args...> format, Args&&... args) {
    add(Fault::Subject::Step, t, "step '{}': {}", p_.steps[static_cast<size_t>(t)].name,
        fmt::format(format, std::forward<Args>(args)...));
  }
  bool is_memory(MemoryId m) const { return m >= 0 && m < static_cast<MemoryId>(p_.memories.size()); }
  bool exists(BufferId b) const { return b >= 0 && b < static_cast<BufferId>(p_.buffers.size()); }
  const Buffer& at(BufferId b) const { return p_.buffers[static_cast<size_t>(b)]; }

  void sizes(int b) {
    const Buffer& x = at(b);
    if (!names_.insert(x.name).second) buffer(b, "another buffer has the same name");
    if (x.used < 1 || x.pixel < x.used || x.pixel > kLargest || x.width < 1 || x.height < 1)
      return buffer(b, "expected 1 <= used <= pixel and width, height >= 1, got used {}, pixel {}, {} x {}",
                    x.used, x.pixel, x.width, x.height);
    if (x.pixel > kLargest / x.width || x.row() > kLargest / x.height)
      buffer(b, "expected at most {} bytes, got {} x {} pixels of {}", kLargest, x.width, x.height, x.pixel);
    for (const MemoryId m : x.memories)
      if (!is_memory(m)) buffer(b, "may lie in memory number {}, which does not exist", m);
  }

  void nesting(int b) {
    if (!at(b).inside) return;
    BufferId host = b;
    for (size_t depth = 0; exists(host) && at(host).inside; ++depth) {
      if (depth > p_.buffers.size()) return buffer(b, "is inside itself");
      host = at(host).inside->buffer;
    }
    if (!exists(host)) return buffer(b, "is inside buffer number {}, which does not exist", host);
    const Inside& inside = *at(b).inside;
    const Buffer& outer = at(inside.buffer);
    const Bytes last = at(b).size() - (at(b).pixel - at(b).used);
    if (inside.offset < 0 || inside.offset > outer.size() - last)
      buffer(b, "{} bytes at offset {} do not fit into the {} bytes of '{}'", last, inside.offset,
             outer.size(), outer.name);
  }

  void references(int t) {
    const Step& x = p_.steps[static_cast<size_t>(t)];
    if (x.scratch < 0 || x.scratch > kLargest)
      step(t, "expected 0 <= scratch <= {}, got {}", kLargest, x.scratch);
    for (const MemoryId m : x.scratch_memories)
      if (!is_memory(m)) step(t, "its scratch may lie in memory number {}, which does not exist", m);
    if (x.rows_per_step < 1) step(t, "expected rows per step >= 1, got {}", x.rows_per_step);
    if (x.raster_order && x.rows_per_step != 1)
      step(t, "raster order computes 1 row at a time, got {} rows per step", x.rows_per_step);
    for (const BufferId b : x.writes)
      if (!exists(b)) return step(t, "writes buffer number {}, which does not exist", b);
    for (size_t i = 0; i < x.writes.size(); ++i)
      if (std::find(x.writes.begin(), x.writes.begin() + static_cast<std::ptrdiff_t>(i), x.writes[i]) !=
          x.writes.begin() + static_cast<std::ptrdiff_t>(i))
        step(t, "writes '{}' twice", at(x.writes[i]).name);
    if (x.raster_order && !x.writes.empty())
      for (const BufferId b : x.writes) equal_maps(t, "raster order", at(x.writes.front()), at(b));
    for (const Read& read : x.reads) {
      if (!exists(read.buffer)) {
        step(t, "reads buffer number {}, which does not exist", read.buffer);
        continue;
      }
      window(t, x, read);
    }
  }

  void window(int t, const Step& x, const Read& read) {
    const Buffer& input = at(read.buffer);
    const Window& w = read.window;
    if (std::find(x.writes.begin(), x.writes.end(), read.buffer) != x.writes.end())
      step(t, "reads '{}', which it writes", input.name);
    if (w.kind == Window::Kind::Rows && (w.stride < 0 || w.extent < 1))
      step(t, "window on '{}': expected stride >= 0 and extent >= 1, got {} and {}", input.name, w.stride,
           w.extent);
    if (w.kind == Window::Kind::Element || w.kind == Window::Kind::Same)
      for (const BufferId b : x.writes) equal_maps(t, "element by element", input, at(b));
  }

  void equal_maps(int t, std::string_view what, const Buffer& a, const Buffer& b) {
    if (a.width != b.width || a.height != b.height)
      step(t, "{} needs equal maps: '{}' is {} x {}, '{}' is {} x {}", what, a.name, a.width, a.height,
           b.name, b.width, b.height);
  }

  /// Nothing is read before it is written; a buffer is written once.
  void order() {
    std::vector<int> writer(p_.buffers.size(), kNone);
    for (size_t t = 0; t < p_.steps.size(); ++t)
      for (const BufferId b : p_.steps[t].writes) {
        int& first = writer[static_cast<size_t>(b)];
        if (first != kNone)
          step(static_cast<int>(t), "writes '{}', which step '{}' has written", at(b).name,
               p_.steps[static_cast<size_t>(first)].name);
        else
          first = static_cast<int>(t);
      }
    for (size_t t = 0; t < p_.steps.size(); ++t)
      for (const Read& read : p_.steps[t].reads)
        for (size_t b = 0; b < writer.size(); ++b)
          if (writer[b] >= static_cast<int>(t) && holds(read.buffer, static_cast<BufferId>(b)))
            step(static_cast<int>(t), "reads '{}' before step '{}' has written it", at(read.buffer).name,
                 p_.steps[static_cast<size_t>(writer[b])].name);
  }

  /// Whether `inner` is `outer` or lies in it, directly or not.
  bool holds(BufferId outer, BufferId inner) const {
    bool found = false;
    up(p_, inner, [&](BufferId at) { found = found || at == outer; });
    return found;
  }

  void lives() {
    const auto needed = demanded(p_);
    for (size_t b = 0; b < p_.buffers.size(); ++b) {
      const Lifetime& life = p_.buffers[b].life;
      if (life.first < 0 || life.first >= life.end)
        buffer(static_cast<int>(b), "expected a lifetime 0 <= first < end, got [{}, {})", life.first,
               life.end);
      else if (needed[b] && !life.covers(*needed[b]))
        buffer(static_cast<int>(b), "its steps need it during [{}, {}), its lifetime is [{}, {})",
               needed[b]->first, needed[b]->end, life.first, life.end);
      else if (p_.buffers[b].keep && life.end < static_cast<int>(p_.steps.size()))
        buffer(static_cast<int>(b), "it is kept to the end, step {}, its lifetime is [{}, {})",
               p_.steps.size(), life.first, life.end);
      else if (p_.buffers[b].inside && !at(p_.buffers[b].inside->buffer).life.covers(life))
        buffer(static_cast<int>(b), "its lifetime [{}, {}) exceeds that of '{}', which holds it", life.first,
               life.end, at(p_.buffers[b].inside->buffer).name);
    }
  }

  void written_twice() {
    struct Written {
      BufferId buffer;
      const Step* by;
    };
    std::vector<std::vector<Written>> of_root(p_.buffers.size());
    for (const Step& x : p_.steps)
      for (const BufferId b : x.writes) of_root[static_cast<size_t>(root_of(p_, b))].push_back({b, &x});
    for (const auto& written : of_root)
      for (size_t i = 0; i < written.size(); ++i)
        for (size_t j = 0; j < i; ++j) {
          const BufferId a = written[i].buffer, b = written[j].buffer;
          if (!may_share(at(a), place_in_root(p_, a), at(b), place_in_root(p_, b))) continue;
          const bool same = written[i].by == written[j].by;
          buffer(a, "shares bytes with '{}'; {} would write them", at(b).name,
                 same ? "one step" : "two steps");
        }
  }

  const Problem& p_;
  std::set<std::string> names_, memory_names_;
  std::vector<Fault> found_;
};

}  // namespace

Bytes alignment_of(const Problem& problem, MemoryId memory) {
  return std::lcm(problem.alignment, problem.memories.at(static_cast<size_t>(memory)).alignment);
}

BufferId root_of(const Problem& problem, BufferId buffer) {
  BufferId root = buffer;
  up(problem, buffer, [&](BufferId at) { root = at; });
  return root;
}

int duration(const Problem& problem) {
  int end = static_cast<int>(problem.steps.size());
  for (const Buffer& buffer : problem.buffers) end = std::max(end, buffer.life.end);
  return end;
}

void derive_lifetimes(Problem& problem) {
  if (problem.steps.empty()) return;
  const auto lives = demanded(problem);
  const int end_of_time = static_cast<int>(problem.steps.size());
  for (size_t b = 0; b < lives.size(); ++b) {
    Buffer& buffer = problem.buffers[b];
    if (lives[b]) buffer.life = *lives[b];
    if (buffer.life == Lifetime{}) buffer.life = {0, 1};
    if (buffer.keep) buffer.life.end = std::max(buffer.life.end, end_of_time);
  }
}

std::vector<Fault> faults(const Problem& problem) {
  return FaultFinder(problem).find();
}

}  // namespace n2d2::memory
