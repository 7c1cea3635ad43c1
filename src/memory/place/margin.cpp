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

/// Rows are written in groups while the windows of the group are read.
std::optional<Bytes> top_down_by_rows(const Window& window, const Rows& in, const Rows& out, int group) {
  std::optional<Bytes> limit;
  for (int row = 0; row < out.count(); row += group) {
    const int needed = first_needed(window, row, in.count());
    if (needed < in.count()) lower(limit, in.start(needed) - out.end(std::min(row + group, out.count()) - 1));
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

std::optional<Bytes> bottom_up_by_rows(const Window& window, const Rows& in, const Rows& out, int group) {
  std::optional<Bytes> limit;
  for (int row = out.count() - 1; row >= 0; row -= group) {
    const int needed = last_needed(window, row, in.count());
    if (needed >= 0) raise(limit, in.end(needed) - out.start(std::max(row - group + 1, 0)));
  }
  return limit;
}

/// Distances of one read, without the roots' names.
Relation limits(const Step& step, const Window& window, const Rows& in, const Rows& out) {
  Relation r;
  if (window.kind == Window::Kind::Whole) return r;
  const bool element = window.kind == Window::Kind::Element;
  const Window rows = element ? Window{Window::Kind::Rows, 1, 0, 1} : window;
  if (element && in.takes_in_place(out)) {
    r.in_place = in.place() - out.place();
    r.top_down = r.in_place;
  } else if (step.raster_order) {
    r.top_down = top_down_by_pixels(rows, in, out);
  } else {
    r.top_down = top_down_by_rows(rows, in, out, step.rows_per_step);
  }
  r.bottom_up = bottom_up_by_rows(rows, in, out, step.rows_per_step);
  return r;
}

}  // namespace

std::vector<Relation> relations_of(const Problem& problem) {
  std::vector<Relation> out;
  const Families families = families_of(problem);
  const auto family = [&](BufferId b) -> const Family& {
    return families.all[static_cast<size_t>(families.of_buffer[static_cast<size_t>(b)])];
  };
  for (StepId t = 0; t < static_cast<StepId>(problem.steps.size()); ++t) {
    const Step& step = problem.steps[static_cast<size_t>(t)];
    if (!step.overlap || step.written == kNone) continue;
    const Family& output = family(step.written);
    const BufferId born = output.root;
    if (problem.buffers[static_cast<size_t>(born)].life.first != t || !output.made_inside) continue;
    const Rows written(problem, families, step.written);
    std::map<BufferId, Relation> of_root;  // of every dying root
    for (const Read& read : step.reads) {
      const Family& input = family(read.buffer);
      const BufferId dying = input.root;
      if (dying == born || input.keep || problem.buffers[static_cast<size_t>(dying)].life.end != t + 1)
        continue;
      Relation r = limits(step, read.window, Rows(problem, families, read.buffer), written);
      r.step = t, r.dying = dying, r.born = born;
      const auto [it, first] = of_root.emplace(dying, r);
      if (first) continue;  // several reads of one root: what all of them allow
      Relation& all = it->second;
      all.top_down =
          all.top_down && r.top_down ? std::optional(std::min(*all.top_down, *r.top_down)) : std::nullopt;
      all.bottom_up =
          all.bottom_up && r.bottom_up ? std::optional(std::max(*all.bottom_up, *r.bottom_up)) : std::nullopt;
      if (all.in_place != r.in_place) all.in_place.reset();
    }
    for (const auto& [root, relation] : of_root)
      if (relation.top_down || relation.bottom_up || relation.in_place) out.push_back(relation);
  }
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
