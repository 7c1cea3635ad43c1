#include "n2d2/memory/validate.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "plan_shape.hpp"
#include "shadow.hpp"

namespace n2d2::memory {

namespace {

/// Runs the steps on a shadow memory.
class Replay {
 public:
  Replay(const Problem& problem, const Plan& plan)
      : p_(problem), plan_(plan), shadows_(problem.memories.size()) {}

  std::vector<Violation> run() {
    schedule_outside();
    for (StepId t = 0; t < static_cast<StepId>(p_.steps.size()); ++t) moments_[t];
    for (const auto& [time, moment] : moments_) {
      now_ = time;
      for (const BufferId b : moment.loads) load(b);
      if (time < static_cast<int>(p_.steps.size())) step(time);
      for (const BufferId b : moment.checks) all_rows(b, "at the end of its life");
    }
    return std::move(found_);
  }

 private:
  struct Moment {
    std::vector<BufferId> loads, checks;
  };

  const Buffer& buffer(BufferId b) const { return p_.buffers[static_cast<size_t>(b)]; }
  const Space& space(SpaceId s) const { return plan_.spaces[static_cast<size_t>(s)]; }

  bool within(BufferId inner, BufferId outer) const {
    for (;; inner = buffer(inner).inside->buffer) {
      if (inner == outer) return true;
      if (!buffer(inner).inside) return false;
    }
  }

  /// What comes from outside is there from the first moment of its life; what nobody reads in the last step
  /// of its life must still be whole then.
  void schedule_outside() {
    for (BufferId b = 0; b < static_cast<BufferId>(p_.buffers.size()); ++b) {
      bool written = false;
      int last_read = kNone;
      for (StepId t = 0; t < static_cast<StepId>(p_.steps.size()); ++t) {
        const Step& s = p_.steps[static_cast<size_t>(t)];
        const auto related = [&](BufferId other) { return within(b, other) || within(other, b); };
        written = written || std::any_of(s.writes.begin(), s.writes.end(), related);
        for (const Read& read : s.reads)
          if (related(read.buffer)) last_read = t;
      }
      const Buffer& x = buffer(b);
      if (!written) moments_[x.life.first].loads.push_back(b);
      if (x.keep || x.life.end - 1 > last_read) moments_[x.life.end - 1].checks.push_back(b);
    }
  }

  /// Calls visit(memory, address, bytes, position in the root) for the used bytes of pixels [x0, x1) of a
  /// row.
  template <class Visit>
  void runs(BufferId b, int y, int x0, int x1, Visit visit) const {
    const Buffer& shape = buffer(b);
    const View& view = plan_.views[static_cast<size_t>(b)];
    const Space& home = space(view.space);
    Bytes place = 0;
    for (BufferId at = b; buffer(at).inside; at = buffer(at).inside->buffer)
      place += buffer(at).inside->offset;
    const Bytes before = y * view.row;  // a view wraps between rows, so the whole row is on one side
    const bool wrapped = view.wrap > 0 && before >= view.wrap;
    const Bytes start = home.offset + before + (wrapped ? -view.wrap : view.offset);
    if (shape.used == shape.pixel)
      return visit(home.memory, start + x0 * view.pixel, (x1 - x0) * view.pixel,
                   place + before + x0 * view.pixel);
    for (int x = x0; x < x1; ++x)
      visit(home.memory, start + x * view.pixel, shape.used, place + before + x * view.pixel);
  }

  Shadow& shadow(MemoryId memory) { return shadows_[static_cast<size_t>(memory)]; }

  void write(BufferId b, int y, int x0, int x1) {
    const int root = root_of(p_, b);
    runs(b, y, x0, x1, [&](MemoryId memory, Bytes address, Bytes size, Bytes position) {
      shadow(memory).write(address, size, root, position);
    });
  }
  void load(BufferId b) {
    for (int y = 0; y < buffer(b).height; ++y) write(b, y, 0, buffer(b).width);
  }

  void read(BufferId b, int y, int x0, int x1, const char* when) {
    const int root = root_of(p_, b);
    runs(b, y, x0, x1, [&](MemoryId memory, Bytes address, Bytes size, Bytes position) {
      const auto wrong = shadow(memory).mismatch(address, size, root, position);
      if (wrong) overwritten(b, y, *wrong, when);
    });
  }
  void all_rows(BufferId b, const char* when) {
    for (int y = 0; y < buffer(b).height; ++y) read(b, y, 0, buffer(b).width, when);
  }

  void overwritten(BufferId b, int y, const Shadow::Found& found, const char* when) {
    if (!reported_.insert({now_, b}).second) return;
    std::string holder = "nothing";
    if (found.owner >= 0) holder = fmt::format("'{}'", buffer(found.owner).name);
    if (found.owner <= kScratch)
      holder =
          fmt::format("scratch of step '{}'", p_.steps[static_cast<size_t>(kScratch - found.owner)].name);
    const bool in_step = now_ < static_cast<int>(p_.steps.size());
    const std::string where =
        in_step ? fmt::format("step {} '{}'", now_, p_.steps[static_cast<size_t>(now_)].name)
                : fmt::format("time {}", now_);
    found_.push_back({Violation::Kind::Overwritten, now_, b,
                      fmt::format("{}: row {} of '{}' {} holds {} at byte {}", where, y, buffer(b).name, when,
                                  holder, found.address)});
  }

  void step(StepId t) {
    const Step& s = p_.steps[static_cast<size_t>(t)];
    const SpaceId scratch = plan_.scratch_of_step[static_cast<size_t>(t)];
    if (s.scratch > 0) shadow(space(scratch).memory).write(space(scratch).offset, s.scratch, kScratch - t, 0);
    if (!s.writes.empty()) produce(s, plan_.scan_of_step[static_cast<size_t>(t)]);
    for (const Read& r : s.reads)
      if (s.writes.empty() || r.window.kind == Window::Kind::Whole) all_rows(r.buffer, "when it is read");
    for (const BufferId b : s.writes) all_rows(b, "when its step ends");  // whichever output came last
    if (s.scratch == 0) return;
    const auto wrong =
        shadow(space(scratch).memory).mismatch(space(scratch).offset, s.scratch, kScratch - t, 0);
    if (!wrong) return;
    const auto by = std::find_if(s.writes.begin(), s.writes.end(),
                                 [&](BufferId b) { return root_of(p_, b) == wrong->owner; });
    if (reported_.insert({t, *by}).second)
      found_.push_back({Violation::Kind::Overwritten, t, *by,
                        fmt::format("step {} '{}': its scratch is overwritten by '{}' at byte {}", t, s.name,
                                    buffer(*by).name, wrong->address)});
  }

  /// Rows [from, to) of a map.
  struct Share {
    int from, to;
  };
  /// What an output of `height` rows gets when the first output, of `rows` rows, gets these (see Step).
  static Share share(Share of_first, int rows, int height) {
    const auto scaled = [&](int row) { return static_cast<int>(int64_t{row} * height / rows); };
    return {scaled(of_first.from), scaled(of_first.to)};
  }

  /// Writes the outputs in groups of rows and reads the windows of a group when it has been written; in any
  /// order, each byte of the inputs may be read last.
  void produce(const Step& s, Scan scan) {
    if (scan == Scan::Any) {
      for (const BufferId b : s.writes) load(b);
      for (const Read& r : s.reads) all_rows(r.buffer, "when it is read");
      return;
    }
    const int height = buffer(s.writes.front()).height;
    for (int done = 0; done < height; done += s.rows_per_step) {
      const int end = done + std::min(s.rows_per_step, height - done);
      const Share group = scan == Scan::TopDown ? Share{done, end} : Share{height - end, height - done};
      same_rows(s, group, false);
      if (by_pixel(s))
        for (int i = group.from; i < group.to; ++i)
          produce_row(s, scan == Scan::TopDown ? i : group.from + group.to - 1 - i);
      else
        for (const BufferId b : s.writes) {
          const Share rows = share(group, height, buffer(b).height);
          for (int y = rows.from; y < rows.to; ++y) write(b, y, 0, buffer(b).width);
        }
      same_rows(s, group, true);
      for (int y = group.from; y < group.to && !s.raster_order; ++y)
        for (const Read& r : s.reads)
          if (r.window.kind == Window::Kind::Rows) read_window(r, y, 0, buffer(r.buffer).width);
    }
  }

  /// Same reads of a group: before it is written, and after it but for pixels that an output lies on.
  void same_rows(const Step& s, Share group, bool written) {
    for (const Read& r : s.reads) {
      if (r.window.kind != Window::Kind::Same) continue;
      for (int y = group.from; y < group.to; ++y)
        for (int x = 0; x < buffer(r.buffer).width; ++x) {
          const bool on_it = written && std::any_of(s.writes.begin(), s.writes.end(),
                                                    [&](BufferId b) { return is_on(b, r.buffer, y, x); });
          if (!on_it) read(r.buffer, y, x, x + 1, "when it is read");
        }
    }
  }

  /// Whether a pixel of both is the same bytes.
  bool is_on(BufferId a, BufferId b, int y, int x) const {
    const auto start = [&](BufferId id) {
      std::pair<MemoryId, Bytes> out;
      runs(id, y, x, x + 1, [&](MemoryId memory, Bytes address, Bytes, Bytes) { out = {memory, address}; });
      return out;
    };
    return buffer(a).used == buffer(b).used && start(a) == start(b);
  }

  /// Whether something is read between two pixels of a row; all outputs have equally many then.
  static bool by_pixel(const Step& s) {
    return s.raster_order || std::any_of(s.reads.begin(), s.reads.end(), [](const Read& r) {
             return r.window.kind == Window::Kind::Element;
           });
  }

  void produce_row(const Step& s, int y) {
    for (int x = 0; x < buffer(s.writes.front()).width; ++x) {
      for (const Read& r : s.reads)
        if (r.window.kind == Window::Kind::Element) {
          read(r.buffer, y, x, x + 1, "when it is read");
          for (const BufferId b : s.writes) inside_pixel(s, b, r, y, x);
        }
      for (const BufferId b : s.writes) write(b, y, x, x + 1);
      if (!s.raster_order) continue;
      for (const Read& r : s.reads) {
        if (r.window.kind != Window::Kind::Rows) continue;
        const int last = buffer(r.buffer).width;
        const int from = x * r.window.stride - r.window.pad;
        read_window(r, y, std::clamp(from, 0, last), std::clamp(from + r.window.extent, 0, last));
      }
    }
  }

  void read_window(const Read& r, int y, int x0, int x1) {
    const int from = y * r.window.stride - r.window.pad;
    const int end = std::min(from + r.window.extent, buffer(r.buffer).height);
    for (int row = std::max(from, 0); row < end && x0 < x1; ++row)
      read(r.buffer, row, x0, x1, "when it is read");
  }

  /// Elements of one pixel are written in order: element i of an output must not touch elements after i of
  /// the input. Their sizes are taken as the smallest all these pixels can consist of, which allows the
  /// least.
  void inside_pixel(const Step& s, BufferId written, const Read& r, int y, int x) {
    Bytes out = 0, in = 0;
    MemoryId out_memory = 0, in_memory = 0;
    runs(written, y, x, x + 1, [&](MemoryId memory, Bytes address, Bytes, Bytes) {
      out = address;
      out_memory = memory;
    });
    runs(r.buffer, y, x, x + 1, [&](MemoryId memory, Bytes address, Bytes, Bytes) {
      in = address;
      in_memory = memory;
    });
    const Bytes out_size = buffer(written).used, in_size = buffer(r.buffer).used;
    if (out_memory != in_memory || out + out_size <= in || in + in_size <= out) return;
    const Bytes elements = elements_of_pixel(s);
    const Bytes out_element = out_size / elements, in_element = in_size / elements;
    const auto safe = [&](Bytes i) { return out + (i + 1) * out_element <= in + (i + 1) * in_element; };
    if (elements > 1 && !(safe(0) && safe(elements - 2)))  // linear in i: the ends decide
      overwritten(r.buffer, y, {root_of(p_, written), std::max(in, out)}, "when it is read");
  }

  /// Most elements that a pixel of every map of an element-wise step can have in common.
  Bytes elements_of_pixel(const Step& s) const {
    Bytes elements = 0;
    for (const BufferId b : s.writes) elements = std::gcd(elements, buffer(b).used);
    for (const Read& r : s.reads)
      if (r.window.kind == Window::Kind::Element) elements = std::gcd(elements, buffer(r.buffer).used);
    return elements;
  }

  static constexpr int kScratch = -2;  // owner of step t's scratch: kScratch - t

  const Problem& p_;
  const Plan& plan_;
  std::vector<Shadow> shadows_;  // of each memory
  std::map<int, Moment> moments_;
  int now_ = 0;
  std::set<std::pair<int, BufferId>> reported_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> validate(const Problem& problem, const Plan& plan) {
  auto found = shape_violations(problem, plan);
  const bool has_addresses = std::none_of(found.begin(), found.end(), [](const Violation& v) {
    return v.kind == Violation::Kind::BadShape || v.kind == Violation::Kind::OutOfSpace;
  });
  if (!has_addresses) return found;
  auto replayed = Replay(problem, plan).run();
  found.insert(found.end(), std::make_move_iterator(replayed.begin()),
               std::make_move_iterator(replayed.end()));
  return found;
}

}  // namespace n2d2::memory
