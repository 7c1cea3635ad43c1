#include "turns.hpp"

#include <algorithm>
#include <numeric>

namespace n2d2::program {

int Turns::ring(ViewId root) const {
  if (p_.call(m_.makers_of(root).front()).contract.accumulates) return 1;
  return region_.is_tiled() ? tile(root) : ring_of_stream(root);
}

/// No turn reads what another one made.
int Turns::tile(ViewId root) const {
  int rows = 1;
  for (int turn = 0; turn < region_.turns; ++turn)
    for (const CallId maker : m_.makers_of(root))
      rows = std::max(rows, pace(maker).in(turn, m_.height(maker)).count);
  return rows;
}

/// Between the turns in which a call begins and those in which one ends all goes on as in the turns of one
/// period.
int Turns::ring_of_stream(ViewId root) const {
  const std::vector<CallId>& makers = m_.makers_of(root);
  int64_t begin = region_.turns, end = region_.turns, period = 1;
  const auto join = [&](CallId call) {
    end = std::min(end, first_turn_with(call, m_.height(call)) - 1);
    period = std::lcm<int64_t>(period, pace(call).every);
  };
  for (const CallId maker : makers) begin = std::min(begin, first_turn_with(maker, 1)), join(maker);
  for (const Dependence& d : m_.inner_of(root)) join(d.reader);
  int rows = 1;
  int64_t steady = 0;
  for (int64_t turn = std::max<int64_t>(0, begin); turn < region_.turns; ++turn) {
    const Kept kept = kept_in(root, static_cast<int>(turn));
    rows = std::max(rows, kept.rows);
    if (kept.is_complete) break;
    steady = kept.is_steady ? steady + 1 : 0;
    if (steady >= period) turn = std::max(turn, end - 1), steady = 0;
  }
  return rows;
}

Turns::Kept Turns::kept_in(ViewId root, int turn) const {
  const std::vector<CallId>& makers = m_.makers_of(root);
  Kept out{0, true, true};
  for (const CallId maker : makers) {
    const int height = m_.height(maker), before = done(maker, turn - 1), after = done(maker, turn);
    out.is_complete = out.is_complete && before == height;
    out.is_steady = out.is_steady && before > 0 && after < height;
    int first = before;
    for (const CallId other : makers) first = std::min(first, next(other, turn, maker));
    for (const Dependence& d : m_.inner_of(root)) {
      const int needed = first_needed(d.window, d.reader, next(d.reader, turn, maker), d.view);
      out.is_steady = out.is_steady && needed > 0 && needed < p_.view(d.view).h;
      first = std::min(first, needed);
    }
    out.rows = std::max(out.rows, after - first);
  }
  return out;
}

int64_t Turns::first_turn_with(CallId call, int rows) const {
  const Pace& of = pace(call);
  const int64_t units = int64_t{rows} * of.every - of.lead;
  return units <= 0 ? 0 : (units + of.rows - 1) / of.rows;
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

/// Returns the first row that any reader still needs, while `now` runs, of a map that is there before the
/// region; the height of the map when all of them have read everything.
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
