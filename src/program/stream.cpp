#include "n2d2/program/stream.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "n2d2/program/schedule.hpp"

namespace n2d2::program {

namespace {

bool is_in(const Program& program, ViewId inner, ViewId outer) {
  for (; inner != kNone; inner = program.view(inner).host)
    if (inner == outer) return true;
  return false;
}

/// Element by element is row by row.
Window by_rows(const Window& window) {
  return window.kind == Window::Kind::Rows ? window : Window{Window::Kind::Rows, 1, 0, 1};
}

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// One input of a call that another call of the region makes, or that is there before it.
struct Dependence {
  CallId reader = kNone, maker = kNone;  ///< maker kNone: there before
  ViewId view = kNone;                   ///< that is read
  Window window;
};

/// The calls of a region and who reads what of whom.
class Members {
 public:
  Members(const Program& program, CallId first, CallId end) : p_(program), first_(first), end_(end) {
    for (CallId c = first; c < end; ++c)
      for (const ViewId out : p_.call(c).out) makers_[p_.root_of(out)].push_back(c);
    for (CallId c = first; c < end; ++c) {
      const Call& call = p_.call(c);
      for (size_t i = 0; i < call.in.size(); ++i) {
        const Window& window = call.contract.windows.at(i);
        bool made_here = false;
        for (const CallId maker : makers_of(p_.root_of(call.in[i]))) {
          const ViewId out = p_.call(maker).out.at(0);
          if (maker >= c || (!is_in(p_, out, call.in[i]) && !is_in(p_, call.in[i], out))) continue;
          made_here = true;
          inner_.push_back({c, maker, call.in[i], window});
          inner_of_[p_.root_of(call.in[i])].push_back(inner_.back());
        }
        if (!made_here) outer_.push_back({c, kNone, call.in[i], window});
      }
    }
  }

  CallId first() const { return first_; }
  CallId end() const { return end_; }
  const std::vector<Dependence>& inner() const { return inner_; }
  /// Those of what lies in a root.
  const std::vector<Dependence>& inner_of(ViewId root) const {
    static const std::vector<Dependence> none;
    const auto at = inner_of_.find(root);
    return at == inner_of_.end() ? none : at->second;
  }
  const std::vector<Dependence>& outer() const { return outer_; }
  /// Roots that calls write to, with these.
  const std::map<ViewId, std::vector<CallId>>& made() const { return makers_; }
  const std::vector<CallId>& makers_of(ViewId root) const {
    static const std::vector<CallId> none;
    const auto at = makers_.find(root);
    return at == makers_.end() ? none : at->second;
  }
  int height(CallId call) const { return p_.view(p_.call(call).out.at(0)).h; }

 private:
  const Program& p_;
  CallId first_, end_;
  std::map<ViewId, std::vector<CallId>> makers_;
  std::vector<Dependence> inner_, outer_;
  std::map<ViewId, std::vector<Dependence>> inner_of_;
};

/// Calls that write to a map or read it, and whether it can be a ring.
struct MapUse {
  CallId first = kNone, last = kNone, last_written = kNone;
  bool kept = false, can_be_ring = true;
  void touch(CallId call) {
    first = first == kNone ? call : std::min(first, call);
    last = std::max(last, call);
  }
  bool writes_after(CallId end) const { return last_written >= end; }
};

}  // namespace

/// What there is to know of a program's maps and cells before any choice.
struct Streams::Maps {
  explicit Maps(const Program& program) : cuts(program.calls.size() + 1, true) {
    for (ViewId v = 0; v < static_cast<ViewId>(program.views.size()); ++v) {
      const View &view = program.view(v), &whole = program.view(program.root_of(v));
      MapUse& use = of_root[program.root_of(v)];
      const bool is_there = v == program.maps.at(program.input()) && !program.streams_input();
      use.kept = use.kept || view.keep || view.outside || is_there;
      use.can_be_ring = use.can_be_ring && view.memories.empty() && has_rows_of(view, whole) &&
                        view.w == whole.w && view.pixel == whole.pixel;
    }
    for (CallId c = 0; c < static_cast<CallId>(program.calls.size()); ++c) {
      for (const ViewId in : program.call(c).in) of_root[program.root_of(in)].touch(c);
      for (const ViewId out : program.call(c).out) {
        MapUse& use = of_root[program.root_of(out)];
        use.touch(c);
        use.last_written = c;
      }
    }
    for (const Cell& cell : program.cells)
      for (size_t i = 1; i < cell.calls.size(); ++i) cuts[static_cast<size_t>(cell.calls[i])] = false;
  }

  static bool has_rows_of(const View& view, const View& whole) {
    return view.h == whole.h && view.row == whole.row && view.type == whole.type;
  }

  std::map<ViewId, MapUse> of_root;
  std::vector<bool> cuts;  ///< by call: a region may begin with it, or end before it
};

namespace {

bool can_be_in_region(const Program& program, const Call& call) {
  if (call.contract.opaque || call.contract.state != 0 || call.rows != Rows{} || call.out.size() != 1)
    return false;
  for (size_t i = 0; i < call.in.size(); ++i)
    if (call.in[i] == call.out[0]) return false;
  return !program.view(call.out[0]).outside;
}

/// How many rows each call makes a turn, and when.
class Paces {
 public:
  /// `phases`: as many turns as often, so that what two calls do may come between what others do in a turn.
  Paces(const Members& members, ViewId result, int step, int phases)
      : m_(members), result_(result), step_(step), phases_(phases) {}

  /// False: strides of branches do not fit to each other.
  bool find_rates() {
    rates_.assign(size(), 0);
    for (const CallId c : m_.makers_of(result_)) rates_[at(c)] = 1;
    for (CallId c = m_.end() - 1; c >= m_.first(); --c) {
      for (const Dependence& d : m_.inner()) {
        if (d.maker != c) continue;
        const int64_t rate = rates_[at(d.reader)] * by_rows(d.window).stride;
        if (rates_[at(c)] != 0 && rates_[at(c)] != rate) return false;
        rates_[at(c)] = rate;
      }
      if (rates_[at(c)] == 0 || rates_[at(c)] > kHighestRate) return false;
    }
    const int64_t highest = *std::max_element(rates_.begin(), rates_.end()), most = highest * phases_;
    paces_.assign(size(), {});
    for (size_t i = 0; i < size(); ++i) {
      if (highest % rates_[i] != 0) return false;
      const int64_t rows = rates_[i] * step_, common = std::gcd(rows, most);
      paces_[i].rows = static_cast<int>(rows / common), paces_[i].every = static_cast<int>(most / common);
    }
    return true;
  }

  /// As late as the readers allow; then these calls earlier by so much, or as early as their inputs allow.
  void find_leads(const std::map<CallId, int>& early) {
    for (Pace& pace : paces_) pace.lead = 0;
    for (CallId c = m_.end() - 1; c >= m_.first(); --c) {
      std::optional<int64_t> lead;
      const auto& final = m_.makers_of(result_);
      if (std::find(final.begin(), final.end(), c) != final.end()) lead = 0;
      for (const Dependence& d : m_.inner())
        if (d.maker == c) lead = std::max(lead.value_or(least_lead(d)), least_lead(d));
      paces_[at(c)].lead = static_cast<int>(*lead);
    }
    for (CallId c = m_.first(); c < m_.end(); ++c)
      if (const auto by = early.find(c); by != early.end()) make_early(c, by->second);
    start_at_turn_0();
  }

  int turns() const {
    int64_t last = 0;
    for (CallId c = m_.first(); c < m_.end(); ++c)
      last = std::max(last, turn_of(paces_[at(c)], m_.height(c)));
    return static_cast<int>(last) + 1;
  }
  const std::vector<Pace>& all() const { return paces_; }

 private:
  static constexpr int64_t kHighestRate = 4096;

  size_t size() const { return static_cast<size_t>(m_.end() - m_.first()); }
  size_t at(CallId call) const { return static_cast<size_t>(call - m_.first()); }
  static int64_t made(const Pace& pace, int64_t turn) {
    return floor_div(turn * pace.rows + pace.lead, pace.every);
  }
  /// The first turn after which so many rows are made.
  static int64_t turn_of(const Pace& pace, int64_t rows) {
    return -floor_div(-(rows * pace.every - pace.lead), pace.rows);
  }

  /// Rows of an input that the rows of a call need which it has made after a turn.
  int64_t needed(const Dependence& d, int64_t turn) const {
    const Window window = by_rows(d.window);
    return (made(paces_[at(d.reader)], turn) - 1) * window.stride - window.pad + window.extent;
  }
  int64_t period(const Dependence& d) const {
    return std::lcm<int64_t>(paces_[at(d.reader)].every, paces_[at(d.maker)].every);
  }

  /// Of the maker, so that each row is there when the reader wants it.
  int64_t least_lead(const Dependence& d) const {
    const Pace& pace = paces_[at(d.maker)];
    std::optional<int64_t> lead;
    for (int64_t t = 0; t < period(d); ++t) {
      const int64_t wanted = pace.every * needed(d, t) - t * pace.rows;
      lead = std::max(lead.value_or(wanted), wanted);
    }
    return *lead;
  }

  /// Whether all that a call reads is there in time.
  bool is_fed(CallId call) const {
    for (const Dependence& d : m_.inner())
      for (int64_t t = 0; d.reader == call && t < period(d); ++t)
        if (made(paces_[at(d.maker)], t) < needed(d, t)) return false;
    return true;
  }

  void make_early(CallId call, int most) {
    const bool reads = std::any_of(m_.inner().begin(), m_.inner().end(),
                                   [&](const Dependence& d) { return d.reader == call; });
    if (!reads) return;
    int& lead = paces_[at(call)].lead;
    const int latest = lead;
    int fed = 0, unfed = most + 1;
    while (unfed - fed > 1) {
      const int middle = fed + (unfed - fed) / 2;
      lead = latest + middle;
      (is_fed(call) ? fed : unfed) = middle;
    }
    lead = latest + fed;
  }

  void start_at_turn_0() {
    std::optional<int64_t> start;
    for (const Pace& pace : paces_) start = std::min(start.value_or(turn_of(pace, 1)), turn_of(pace, 1));
    for (Pace& pace : paces_) pace.lead += static_cast<int>(*start * pace.rows);
  }

  const Members& m_;
  ViewId result_;
  int step_, phases_;
  std::vector<int64_t> rates_;  // rows of a call for a row of the result, by strides
  std::vector<Pace> paces_;
};

/// A region's turns, and what is still to be read while they go on.
class Turns {
 public:
  Turns(const Program& program, const Members& members, const Region& region)
      : p_(program), m_(members), region_(region) {}

  /// Rows of a map that must be there together.
  int ring(ViewId root) const {
    const std::vector<CallId>& makers = m_.makers_of(root);
    const std::vector<Dependence>& readers = m_.inner_of(root);
    int rows = 1;
    for (int turn = 0; turn < region_.turns; ++turn)
      for (const CallId maker : makers) {
        int first = before(maker, turn);
        for (const CallId other : makers) first = std::min(first, at(other, turn, maker));
        for (const Dependence& d : readers)
          first = std::min(first, first_needed(d.window, d.reader, at(d.reader, turn, maker), d.view));
        rows = std::max(rows, done(maker, turn) - first);
      }
    return rows;
  }

  /// Of a map that is there before: rows of the result, those needed when they are written, `step` rows at a time.
  Window window(ViewId read, const std::vector<CallId>& makers, int step) const {
    for (const Dependence& d : m_.outer())
      if (d.view == read && d.window.kind == Window::Kind::Whole) return {};
    Window out{Window::Kind::Rows, 0, 0, 0};
    const int height = p_.view(read).h;
    out.stride = stride_of(read);
    int64_t pad = 1 - height;  // negative: later rows only
    for (int turn = 0; turn < region_.turns; ++turn)
      for (const CallId writes : makers) {
        if (before(writes, turn) == done(writes, turn)) continue;
        const int64_t row = (done(writes, turn) - 1) / step * step;
        const int first = first_needed_of(read, turn, writes);
        if (first < height) pad = std::max(pad, row * out.stride - first);
      }
    out.pad = static_cast<int>(pad);
    out.extent = height + out.pad;
    return out;
  }

 private:
  int done(CallId call, int turn) const { return turn < 0 ? 0 : pace(call).done(turn, m_.height(call)); }
  int before(CallId call, int turn) const { return done(call, turn - 1); }
  /// While `now` runs in a turn: calls before it have had their run.
  int at(CallId call, int turn, CallId now) const { return done(call, call < now ? turn : turn - 1); }
  const Pace& pace(CallId call) const { return region_.paces[static_cast<size_t>(call - m_.first())]; }

  /// The first row that a reader still needs; the height of the map when it has read everything.
  int first_needed(const Window& window, CallId reader, int made, ViewId read) const {
    const int height = p_.view(read).h;
    if (made >= m_.height(reader)) return height;
    const Window rows = by_rows(window);
    return static_cast<int>(std::clamp<int64_t>(int64_t{made} * rows.stride - rows.pad, 0, height));
  }

  /// Of all readers of a map that is there before, while `now` runs.
  int first_needed_of(ViewId read, int turn, CallId now) const {
    int first = p_.view(read).h;
    for (const Dependence& d : m_.outer())
      if (d.view == read)
        first = std::min(first, first_needed(d.window, d.reader, at(d.reader, turn, now), read));
    return first;
  }

  /// Rows of a map for a row of the result, of the reader that takes most.
  int stride_of(ViewId read) const {
    const Pace& last = pace(m_.end() - 1);
    int64_t stride = 0;
    for (const Dependence& d : m_.outer()) {
      if (d.view != read) continue;
      const Pace& own = pace(d.reader);
      const int64_t rate = int64_t{own.rows} * last.every / (int64_t{own.every} * last.rows);
      stride = std::max(stride, rate * by_rows(d.window).stride);
    }
    return static_cast<int>(stride);
  }

  const Program& p_;
  const Members& m_;
  const Region& region_;
};

Bytes round_up(Bytes bytes, Bytes unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Where each ring begins is a multiple of it.
Bytes unit_of(const Program& program, const View& view) {
  Bytes unit = std::lcm(program.alignment, view.element());
  for (const Memory& memory : program.memories) unit = std::lcm(unit, memory.alignment);
  return unit;
}

/// Bytes of the rings, each behind the one before.
Bytes bytes_of(const Program& program, const std::vector<std::pair<ViewId, int>>& rings) {
  Bytes end = 0;
  for (const auto& [root, rows] : rings)
    end = round_up(end, unit_of(program, program.view(root))) + rows * program.view(root).row;
  return end;
}

/// Calls that read a map together with another one; not those that write the result, which all of them write at one time.
std::set<CallId> sharers(const Members& members, ViewId result) {
  std::map<ViewId, std::set<CallId>> readers;
  for (const auto* all : {&members.inner(), &members.outer()})
    for (const Dependence& d : *all) readers[d.view].insert(d.reader);
  std::set<CallId> out;
  for (const auto& [view, of] : readers)
    if (of.size() > 1) out.insert(of.begin(), of.end());
  for (const CallId call : members.makers_of(result)) out.erase(call);
  return out;
}

/// By how much a sharer's lead is tried; the last is as early as can be.
constexpr int kEarlier[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 1 << 20};

/// Of the turns that the paces make.
Stream measured(const Program& program, const Members& members, ViewId result, const Paces& paces) {
  Stream out;
  out.region.first = members.first();
  out.region.paces = paces.all();
  out.region.turns = paces.turns();
  const Turns turns(program, members, out.region);
  for (const auto& [root, makers] : members.made())
    if (root != result) out.rings.emplace_back(root, std::min(turns.ring(root), program.view(root).h));
  out.region.rings = bytes_of(program, out.rings);
  return out;
}

/// None: strides of branches do not fit to each other.
std::optional<Stream> with_least_rings(const Program& program, const Members& members, ViewId result,
                                       int step) {
  std::optional<Stream> best;
  const std::set<CallId> branches = sharers(members, result);
  for (int phases = 1; phases <= (branches.empty() ? 1 : 2); ++phases) {
    Paces paces(members, result, step, phases);
    if (!paces.find_rates()) return std::nullopt;
    std::map<CallId, int> early;
    const auto try_it = [&] {
      paces.find_leads(early);
      Stream other = measured(program, members, result, paces);
      const bool is_better = !best || other.region.rings < best->region.rings;
      if (is_better) best = std::move(other);
      return is_better;
    };
    try_it();
    for (const CallId call : branches) {
      std::optional<int> kept;
      for (const int by : kEarlier) {
        early[call] = by;
        if (try_it()) kept = by;
      }
      early.erase(call);
      if (kept) early[call] = *kept;
    }
  }
  return best;
}

/// Of an input that its source makes in the region.
bool keeps_whole_input(const Program& program, const Stream& stream) {
  return program.call(stream.region.first).is_source() &&
         std::any_of(stream.rings.begin(), stream.rings.end(), [&](const auto& ring) {
           return ring.first == program.maps.at(program.input()) && ring.second == program.view(ring.first).h;
         });
}

RegionReads reads_of(const Program& program, const Members& members, const Region& region, ViewId result) {
  const Turns turns(program, members, region);
  const std::vector<CallId>& makers = members.makers_of(result);
  const Pace& pace = region.paces[static_cast<size_t>(makers.front() - region.first)];
  RegionReads out;
  out.result = result;
  out.rows_per_step = std::max(1, pace.rows / pace.every);
  std::set<ViewId> seen;
  for (const Dependence& d : members.outer())
    if (seen.insert(d.view).second)
      out.reads.emplace_back(d.view, turns.window(d.view, makers, out.rows_per_step));
  return out;
}

int64_t runs_of(const Members& members, const Region& region) {
  int64_t runs = 0;
  for (CallId c = members.first(); c < members.end(); ++c)
    for (int turn = 0; turn < region.turns; ++turn)
      runs +=
          region.paces[static_cast<size_t>(c - region.first)].in(turn, members.height(c)).count > 0 ? 1 : 0;
  return runs;
}

}  // namespace

Streams::Streams(const Program& program) : program_(program), maps_(std::make_unique<const Maps>(program)) {}
Streams::~Streams() = default;

CallId Streams::limit(CallId first) const {
  CallId end = first;
  while (end < static_cast<CallId>(program_.calls.size()) && can_be_in_region(program_, program_.call(end)))
    ++end;
  return end;
}

std::optional<Stream> Streams::find(CallId first, CallId end, int step) const {
  const auto is_cut = [&](CallId call) { return bool{maps_->cuts.at(static_cast<size_t>(call))}; };
  if (end - first < 2 || limit(first) < end || !is_cut(first) || !is_cut(end)) return std::nullopt;
  const Members members(program_, first, end);
  ViewId result = kNone;
  for (const auto& [root, makers] : members.made()) {
    const MapUse& use = maps_->of_root.at(root);
    const bool is_inner = !use.kept && use.first >= first && use.last < end;
    if (is_inner && use.can_be_ring) continue;
    for (const CallId maker : makers)
      if (!Maps::has_rows_of(program_.view(program_.call(maker).out[0]), program_.view(root)))
        return std::nullopt;
    if (is_inner || use.first < first || result != kNone || use.writes_after(end)) return std::nullopt;
    result = root;
  }
  for (const Dependence& d : members.inner())
    if (d.window.kind == Window::Kind::Whole || program_.view(d.view).h != members.height(d.maker))
      return std::nullopt;
  if (result == kNone) return std::nullopt;
  std::optional<Stream> found = with_least_rings(program_, members, result, step);
  if (!found || keeps_whole_input(program_, *found)) return std::nullopt;
  found->reads = reads_of(program_, members, found->region, result);
  found->runs = runs_of(members, found->region);
  return found;
}

void add_region(Program& program, const Stream& stream) {
  const auto id = static_cast<RegionId>(
      std::count_if(program.regions.begin(), program.regions.end(),
                    [&](const Region& region) { return region.first < stream.region.first; }));
  for (View& view : program.views)
    if (view.region >= id) ++view.region;
  program.regions.insert(program.regions.begin() + id, stream.region);
  Bytes end = 0;
  for (const auto& [root, rows] : stream.rings) {
    const Bytes start = round_up(end, unit_of(program, program.view(root)));
    end = start + rows * program.view(root).row;
    for (ViewId v = 0; v < static_cast<ViewId>(program.views.size()); ++v) {
      if (program.root_of(v) != root) continue;
      View& view = program.views[static_cast<size_t>(v)];
      view.region = id;
      if (v == root) view.inside = start;
      if (rows == view.h) continue;
      view.ring = rows, view.first = 0, view.turn = rows * view.row;
    }
  }
}

RegionReads region_reads(const Program& program, const Region& region) {
  const Members members(program, region.first, region.end());
  ViewId result = kNone;
  for (const auto& [root, makers] : members.made())
    if (program.view(root).region == kNone) result = root;
  N2D2_CHECK(result != kNone, "a region without a result");
  return reads_of(program, members, region, result);
}

RegionScratch region_scratch(const Program& program, const Region& region) {
  constexpr Bytes kUnit = 16;  // of the widest accumulators of any call
  Bytes most = 0;
  for (CallId c = region.first; c < region.end(); ++c)
    most = std::max(most, program.call(c).contract.scratch);
  if (most == 0) return {region.rings, region.rings};
  const Bytes start = round_up(region.rings, std::lcm(kUnit, program.alignment));
  return {start, start + most};
}

}  // namespace n2d2::program
