#include "margin.hpp"

#include <algorithm>
#include <map>

#include "placement.hpp"
#include "problem/families.hpp"

namespace n2d2::memory {

namespace {

/// A buffer as its rows lie in its root.
class Rows {
 public:
  Rows(const Problem& problem, const Families& families, BufferId id)
      : buffer_(problem.buffers[static_cast<size_t>(id)]), place_(families.place[static_cast<size_t>(id)]) {}
  int count() const { return buffer_.height; }
  int width() const { return buffer_.width; }
  Bytes pixel() const { return buffer_.pixel; }
  Bytes place() const { return place_; }
  Bytes start(int row) const { return place_ + row * buffer_.row(); }
  Bytes start(int row, int x) const { return start(row) + x * buffer_.pixel; }
  Bytes end(int row, int x) const { return start(row, x) + buffer_.used; }
  Bytes end(int row) const { return end(row, buffer_.width - 1); }
  /// Whether element i of the other lies on element i when both start at the same byte.
  bool equals(const Rows& other) const { return takes_in_place(other) && buffer_.used == other.buffer_.used; }
  /// Whether element i of the other lies on element i or before it when both start at the same byte.
  bool takes_in_place(const Rows& other) const {
    return buffer_.width == other.buffer_.width && buffer_.height == other.buffer_.height &&
           buffer_.pixel == other.buffer_.pixel && buffer_.used >= other.buffer_.used;
  }

 private:
  const Buffer& buffer_;
  Bytes place_;
};

/// First input row that output row `row` or a later one reads; the number of rows when there is none.
int first_needed(const Window& window, int row, int rows) {
  return static_cast<int>(std::clamp<int64_t>(int64_t{row} * window.stride - window.pad, 0, rows));
}
/// Last input row that output row `row` or an earlier one reads; -1 when there is none.
int last_needed(const Window& window, int row, int rows) {
  const int64_t last = int64_t{row} * window.stride - window.pad + window.extent - 1;
  return static_cast<int>(std::clamp<int64_t>(last, -1, rows - 1));
}

void lower(std::optional<Bytes>& limit, Bytes value) {
  limit = limit ? std::min(*limit, value) : value;
}
void raise(std::optional<Bytes>& limit, Bytes value) {
  limit = limit ? std::max(*limit, value) : value;
}

/// The groups of rows in which a step writes (see Step).
struct Groups {
  int rows = 0;   ///< of the first output
  int group = 1;  ///< rows of it written together
  /// Rows of this output above the first output's row `row`.
  int share(const Rows& out, int row) const { return static_cast<int>(int64_t{row} * out.count() / rows); }
};

/// A distance at which no buffers meet: nothing is written while the input is still read.
constexpr Bytes kAnywhere = Bytes{1} << 50;

/// Rows are written in groups while the windows of the group are read.
std::optional<Bytes> top_down_by_rows(const Window& window, const Rows& in, const Rows& out, Groups groups) {
  std::optional<Bytes> limit;
  for (int row = 0; row < groups.rows; row += groups.group) {
    const int needed = first_needed(window, row, in.count());
    const int written = groups.share(out, std::min(row + groups.group, groups.rows));
    if (needed == in.count()) continue;
    lower(limit, written > 0 ? in.start(needed) - out.end(written - 1) : kAnywhere);
  }
  return limit;
}

/// Pixels are written in raster order while the windows of the pixel are read.
std::optional<Bytes> top_down_by_pixels(const Window& window, const Rows& in, const Rows& out) {
  std::optional<Bytes> limit;
  for (int row = 0; row < out.count(); ++row) {
    const int here = first_needed(window, row, in.count());
    const int next = row + 1 < out.count() ? first_needed(window, row + 1, in.count()) : in.count();
    for (int x = 0; x < out.width(); ++x) {
      const int column = std::min(first_needed(window, x, in.width()), in.width() - 1);
      if (here < in.count()) lower(limit, in.start(here, column) - out.end(row, x));
      if (next < in.count()) lower(limit, in.start(next) - out.end(row, x));
    }
  }
  return limit;
}

std::optional<Bytes> bottom_up_by_rows(const Window& window, const Rows& in, const Rows& out, Groups groups) {
  std::optional<Bytes> limit;
  for (int row = groups.rows - 1; row >= 0; row -= groups.group) {
    const int needed = last_needed(window, row, in.count());
    const int written = groups.share(out, std::max(row - groups.group + 1, 0));  // from this row on
    if (needed < 0) continue;
    raise(limit, written < out.count() ? in.end(needed) - out.start(written) : -kAnywhere);
  }
  return limit;
}

/// Distances of one read and one output, without the roots' names.
Relation limits(const Step& step, const Window& window, const Rows& in, const Rows& out, Groups groups) {
  Relation r;
  if (window.kind == Window::Kind::Whole) return r;
  const bool element = window.kind == Window::Kind::Element, same = window.kind == Window::Kind::Same;
  const Window rows = element || same ? Window{Window::Kind::Rows, 1, 0, 1} : window;
  if (element && in.takes_in_place(out)) {
    r.in_place = in.place() - out.place();
    r.top_down = r.in_place;
  } else if (step.raster_order && !same) {
    r.top_down = top_down_by_pixels(rows, in, out);
  } else {
    r.top_down = top_down_by_rows(rows, in, out, groups);
  }
  if (same && in.equals(out)) r.in_place = in.place() - out.place();
  r.bottom_up = bottom_up_by_rows(rows, in, out, groups);
  return r;
}

}  // namespace

namespace {

/// What both allow.
void restrict(Relation& all, const Relation& r) {
  all.top_down =
      all.top_down && r.top_down ? std::optional(std::min(*all.top_down, *r.top_down)) : std::nullopt;
  all.bottom_up =
      all.bottom_up && r.bottom_up ? std::optional(std::max(*all.bottom_up, *r.bottom_up)) : std::nullopt;
  if (all.in_place != r.in_place) all.in_place.reset();
}

/// The relations of one step: of each root that is born with it to each that dies with it, what all reads of
/// the one and all outputs in the other allow.
class StepRelations {
 public:
  StepRelations(const Problem& problem, const Families& families, StepId t)
      : p_(problem), families_(families), t_(t), step_(problem.steps[static_cast<size_t>(t)]) {}

  void append_to(std::vector<Relation>& out) {
    if (!step_.overlap || step_.writes.empty()) return;
    const Groups groups{buffer(step_.writes.front()).height, step_.rows_per_step};
    for (const BufferId written : step_.writes) {
      if (!is_born(written)) continue;
      for (const Read& read : step_.reads) {
        if (!dies(read.buffer)) continue;
        Relation r = limits(step_, read.window, Rows(p_, families_, read.buffer),
                            Rows(p_, families_, written), groups);
        r.step = t_, r.dying = family(read.buffer).root, r.born = family(written).root;
        const auto [it, first] = of_roots_.emplace(std::pair(r.born, r.dying), r);
        if (!first) restrict(it->second, r);
      }
    }
    for (const auto& [roots, relation] : of_roots_)
      if (relation.top_down || relation.bottom_up || relation.in_place) out.push_back(relation);
  }

 private:
  const Buffer& buffer(BufferId b) const { return p_.buffers[static_cast<size_t>(b)]; }
  const Family& family(BufferId b) const {
    return families_.all[static_cast<size_t>(families_.of_buffer[static_cast<size_t>(b)])];
  }
  bool is_born(BufferId written) const {
    return buffer(family(written).root).life.first == t_ && family(written).made_inside;
  }
  bool dies(BufferId input) const {
    const Family& f = family(input);
    const bool written_too = std::any_of(step_.writes.begin(), step_.writes.end(),
                                         [&](BufferId b) { return family(b).root == f.root; });
    return !written_too && !f.keep && buffer(f.root).life.end == t_ + 1;
  }

  const Problem& p_;
  const Families& families_;
  StepId t_;
  const Step& step_;
  std::map<std::pair<BufferId, BufferId>, Relation> of_roots_;
};

}  // namespace

std::vector<Relation> relations_of(const Problem& problem) {
  std::vector<Relation> out;
  const Families families = families_of(problem);
  for (StepId t = 0; t < static_cast<StepId>(problem.steps.size()); ++t)
    StepRelations(problem, families, t).append_to(out);
  return out;
}

Bytes best_overlap(const Problem& problem, const Relation& relation, Bytes alignment) {
  const Bytes in = problem.buffers[static_cast<size_t>(relation.dying)].size();
  const Bytes out = problem.buffers[static_cast<size_t>(relation.born)].size();
  const auto shared = [&](Bytes d) {
    return std::max<Bytes>(0, std::min(in, d + out) - std::max<Bytes>(0, d));
  };
  // As a function of d the shared bytes rise to min(in, out), stay there between 0 and in - out, and fall.
  const Bytes low = std::min<Bytes>(0, in - out), high = std::max<Bytes>(0, in - out);
  Bytes best = 0;
  if (relation.top_down) {
    best = std::max(best, shared(round_down(std::min(*relation.top_down, high), alignment)));
    best = std::max(best, shared(round_down(std::min(*relation.top_down, low), alignment)));
  }
  if (relation.bottom_up) {
    best = std::max(best, shared(round_up(std::max(*relation.bottom_up, low), alignment)));
    best = std::max(best, shared(round_up(std::max(*relation.bottom_up, high), alignment)));
  }
  if (relation.in_place && *relation.in_place % alignment == 0)
    best = std::max(best, shared(*relation.in_place));
  return best;
}

}  // namespace n2d2::memory
