#include "turns.hpp"

#include <algorithm>

namespace n2d2::program {

int Turns::ring(ViewId root) const {
  const std::vector<CallId>& makers = m_.makers_of(root);
  const std::vector<Dependence>& readers = m_.inner_of(root);
  int rows = 1;
  if (p_.call(makers.front()).contract.accumulates) return rows;
  for (int turn = 0; turn < region_.turns; ++turn)
    for (const CallId maker : makers) {
      if (region_.is_tiled()) {  // no turn reads what another one made
        rows = std::max(rows, pace(maker).in(turn, m_.height(maker)).count);
        continue;
      }
      int first = done(maker, turn - 1);
      for (const CallId other : makers) first = std::min(first, next(other, turn, maker));
      for (const Dependence& d : readers)
        first = std::min(first, first_needed(d.window, d.reader, next(d.reader, turn, maker), d.view));
      rows = std::max(rows, done(maker, turn) - first);
    }
  return rows;
}

Window Turns::window(ViewId read, const std::vector<CallId>& makers, int step) const {
  for (const Dependence& d : m_.outer())
    if (d.view == read && d.window.kind == Window::Kind::Whole) return {};
  Window out{Window::Kind::Rows, 0, 0, 0};
  const int height = p_.view(read).h;
  out.stride = stride_of(read);
  int64_t pad = 1 - height;  // negative: later rows only
  for (int turn = 0; turn < region_.turns; ++turn)
    for (const CallId writes : makers) {
      if (pace(writes).in(turn, m_.height(writes)).count == 0) continue;
      const int64_t row = (done(writes, turn) - 1) / step * step;
      const int first = first_needed_of(read, turn, writes);
      if (first < height) pad = std::max(pad, row * out.stride - first);
    }
  out.pad = static_cast<int>(pad);
  out.extent = height + out.pad;
  return out;
}

int Turns::next(CallId call, int turn, CallId now) const {
  if (!region_.is_tiled()) return done(call, call < now ? turn : turn - 1);
  const int at = call < now ? turn + 1 : turn;
  return at < region_.turns ? pace(call).in(at, m_.height(call)).first : m_.height(call);
}

/// The first row that a reader still needs; the height of the map when it has read everything.
int Turns::first_needed(const Window& window, CallId reader, int next, ViewId read) const {
  const int height = p_.view(read).h;
  if (next >= m_.height(reader)) return height;
  const Window rows = by_rows(window);
  return static_cast<int>(std::clamp<int64_t>(int64_t{next} * rows.stride - rows.pad, 0, height));
}

/// Of all readers of a map that is there before, while `now` runs.
int Turns::first_needed_of(ViewId read, int turn, CallId now) const {
  int first = p_.view(read).h;
  for (const Dependence& d : m_.outer())
    if (d.view == read)
      first = std::min(first, first_needed(d.window, d.reader, next(d.reader, turn, now), read));
  return first;
}

/// Rows of a map for a row of the result: of the reader that takes most, or of all turns together.
int Turns::stride_of(ViewId read) const {
  const CallId last = m_.end() - 1;
  if (region_.is_tiled()) {
    const int rows = done(last, region_.turns - 1) - done(last, 0);
    const int first = first_needed_of(read, 0, m_.first());
    return rows == 0 ? 0 : (first_needed_of(read, region_.turns - 1, m_.first()) - first) / rows;
  }
  int64_t stride = 0;
  for (const Dependence& d : m_.outer()) {
    if (d.view != read) continue;
    const Pace &own = pace(d.reader), &slowest = pace(last);
    const int64_t rate = int64_t{own.rows} * slowest.every / (int64_t{own.every} * slowest.rows);
    stride = std::max(stride, rate * by_rows(d.window).stride);
  }
  return static_cast<int>(stride);
}

}  // namespace n2d2::program
