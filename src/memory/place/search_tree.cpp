#include "search_tree.hpp"

#include <limits>
#include <map>
#include <tuple>

namespace n2d2::memory {

namespace {

constexpr Bytes kFar = std::numeric_limits<Bytes>::max() / 4;
constexpr size_t kRemembered = size_t{1} << 20;  // states

uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

Tree::Tree(std::span<const Block> blocks, Bytes alignment) {
  unit_ = 0;
  for (const Block& block : blocks) unit_ = std::gcd(unit_, round_up(block.size, alignment));
  unit_ = std::max<Bytes>(unit_, 1);
  for (const Block& block : blocks) {
    const Bytes rounded = round_up(block.size, alignment);
    items_.push_back({rounded / unit_, rounded - block.size, 0, 0, 0, false});
  }
  cut_sections(blocks);
  std::map<std::tuple<Bytes, int, int>, int> kinds;
  for (size_t b = 0; b < items_.size(); ++b) {
    Item& it = items_[b];
    it.kind = kinds.try_emplace({blocks[b].size, it.first, it.end}, static_cast<int>(b)).first->second;
  }
  meets_.resize(items_.size());
  for (size_t a = 0; a < items_.size(); ++a)
    for (size_t b = 0; b < items_.size(); ++b)
      if (a != b && blocks[a].life.overlaps(blocks[b].life)) meets_[a].push_back(static_cast<int>(b));
  sections_.resize(members_.size());
  touched_.resize(members_.size());
  part_of_section_.resize(members_.size());
  resting_.resize(members_.size());
}

/// A set of live blocks is largest when the last event before it is a birth and the next one a death.
void Tree::cut_sections(std::span<const Block> blocks) {
  enum Event { Death, Birth };
  std::vector<std::pair<int, Event>> events;
  for (const Block& block : blocks) {
    events.emplace_back(block.life.first, Birth);
    events.emplace_back(block.life.end, Death);
  }
  std::sort(events.begin(), events.end());
  std::vector<int> closed_at;  // the time at which each section ends
  for (size_t e = 0; e + 1 < events.size(); ++e)
    if (events[e].second == Birth && events[e + 1].second == Death) closed_at.push_back(events[e + 1].first);
  members_.resize(closed_at.size());
  load_.resize(closed_at.size(), 0);
  for (size_t b = 0; b < blocks.size(); ++b) {
    const auto closed_until = [&](int time) {  // a block is in the sections that close in (first, end]
      const auto after = std::upper_bound(closed_at.begin(), closed_at.end(), time);
      return static_cast<int>(after - closed_at.begin());
    };
    Item& it = items_[b];
    if (it.units == 0) continue;
    it.first = closed_until(blocks[b].life.first);
    it.end = closed_until(blocks[b].life.end);
    for (int s = it.first; s < it.end; ++s) {
      members_[static_cast<size_t>(s)].push_back(static_cast<int>(b));
      load_[static_cast<size_t>(s)] += it.units;
    }
  }
}

Bytes Tree::load(size_t block) const {
  Bytes load = 0;
  for (int s = items_[block].first; s < items_[block].end; ++s)
    load = std::max(load, load_[static_cast<size_t>(s)]);
  return load;
}

Bytes Tree::peak_from(Bytes value) const {
  Bytes peak = kFar;
  for (const Item& it : items_)
    if (it.units > 0) peak = std::min(peak, round_up(value + it.lost, unit_) - it.lost);
  return peak;
}

Bytes Tree::peak_to(Bytes value) const {
  Bytes peak = 0;
  for (const Item& it : items_) peak = std::max(peak, (value + it.lost) / unit_ * unit_ - it.lost);
  return peak;
}

void Tree::set_cap(Bytes cap) {
  due_ = cap / unit_;
  for (Item& it : items_) it.sticks_out = cap % unit_ + it.lost >= unit_;
  refuted_.clear();
}

std::vector<Bytes> Tree::offsets() const {
  std::vector<Bytes> out;
  for (const Bytes units : least_) out.push_back(units * unit_);
  return out;
}

Tree::Result Tree::run(const Guide& guide, int64_t nodes) {
  const size_t count = items_.size();
  guide_ = &guide;
  limit_ = nodes;
  nodes_ = 0;
  gave_up_ = false;
  base_.assign(count, 0);
  least_.assign(count, 0);
  open_.assign(count, 0);
  failures_.assign(count, 0);
  placed_.clear();
  old_bounds_.clear();
  old_sections_.clear();
  queue_.clear();
  touched_.assign(members_.size(), 0);
  bridges_.assign(members_.size(), 0);
  Group all;
  for (size_t b = 0; b < count; ++b) {
    const Item& it = items_[b];
    if (it.units == 0) continue;  // lies anywhere
    all.push_back(static_cast<int>(b));
    open_[b] = 1;
    touch(all.back());
    for (int s = it.first; s + 1 < it.end; ++s) ++bridges_[static_cast<size_t>(s)];
  }
  if (fit(0, static_cast<int>(members_.size()), all)) return Result::Fits;
  return gave_up_ ? Result::GaveUp : Result::FitsNot;
}

// --- State
// -----------------------------------------------------------------------------------------------------

void Tree::touch(int block) {
  for (int s = item(block).first; s < item(block).end; ++s) {
    if (touched_[static_cast<size_t>(s)] != 0) continue;
    touched_[static_cast<size_t>(s)] = 1;
    queue_.push_back(s);
  }
}

void Tree::set_bounds(int block, Bytes base, Bytes least) {
  old_bounds_.push_back({block, this->base(block), this->least(block)});
  if (least != this->least(block)) touch(block);
  this->base(block) = base;
  this->least(block) = least;
}

/// Back to a state whose sections were up to date.
void Tree::undo(const Mark& mark) {
  for (; old_bounds_.size() > mark.bounds; old_bounds_.pop_back()) {
    const OldBounds& old = old_bounds_.back();
    base(old.block) = old.base;
    least(old.block) = old.least;
  }
  for (; old_sections_.size() > mark.sections; old_sections_.pop_back())
    sections_[static_cast<size_t>(old_sections_.back().first)] = old_sections_.back().second;
  for (; placed_.size() > mark.placed; placed_.pop_back()) {
    const int block = placed_.back();
    open_[static_cast<size_t>(block)] = 1;
    for (int s = item(block).first; s + 1 < item(block).end; ++s) ++bridges_[static_cast<size_t>(s)];
  }
  for (const int s : queue_) touched_[static_cast<size_t>(s)] = 0;
  queue_.clear();
}

void Tree::place(int block) {
  placed_.push_back(block);
  open_[static_cast<size_t>(block)] = 0;
  touch(block);
  for (int s = item(block).first; s + 1 < item(block).end; ++s) --bridges_[static_cast<size_t>(s)];
  const Bytes top = base(block) + item(block).units;
  for (const int other : meets_[static_cast<size_t>(block)])
    if (open(other) && base(other) < top) set_bounds(other, top, std::max(least(other), top));
}

// --- Inference
// -------------------------------------------------------------------------------------------------

/// Draws conclusions until there are none left; false: no solution from here.
bool Tree::propagate() {
  std::vector<int> now;
  while (!queue_.empty()) {
    now.swap(queue_);
    queue_.clear();
    for (const int s : now) touched_[static_cast<size_t>(s)] = 0;
    for (const int s : now) {
      if (scan(s)) continue;
      for (const int b : members_[static_cast<size_t>(s)])
        if (open(b)) blame(b);
      return false;
    }
    for (const int s : now) {
      const auto& members = members_[static_cast<size_t>(s)];
      for (size_t i = members.size(); i-- > 0 && open(members[i]);) {
        if (rests(members[i]) || supported(members[i])) continue;
        blame(members[i]);
        return false;
      }
    }
  }
  return true;
}

/// Brings the section up to date; false: its open blocks do not fit.
bool Tree::scan(int section) {
  auto& members = members_[static_cast<size_t>(section)];
  for (size_t i = 1; i < members.size(); ++i) {
    const int block = members[i];
    const Bytes at = least(block);
    size_t j = i;
    for (; j > 0 && least(members[j - 1]) > at; --j) members[j] = members[j - 1];
    members[j] = block;
  }
  Section now{kFar, kFar, kFar, kFar, kFar, kNone, kNone, 0};
  Bytes sum = 0, due = due_;
  bool fits = true;
  for (size_t i = members.size(); i-- > 0 && open(members[i]);) {  // from the highest
    const int b = members[i];
    const Bytes at = least(b), end = at + item(b).units;
    sum += item(b).units;
    if (item(b).sticks_out) due = due_ + 1;
    fits = fits && end <= due_ + (item(b).sticks_out ? 1 : 0);
    now.room = std::min(now.room, due - at - sum);
    now.on_ground = at == now.ground ? now.on_ground + 1 : 1;
    now.ground_but_lowest = now.ground;
    now.ground = at;
    now.lowest = b;
    if (end < now.top) {
      now.top_but_first = now.top;
      now.top = end;
      now.first_done = b;
    } else {
      now.top_but_first = std::min(now.top_but_first, end);
    }
  }
  old_sections_.emplace_back(section, sections_[static_cast<size_t>(section)]);
  sections_[static_cast<size_t>(section)] = now;
  return fits && now.room >= 0;
}

/// Lowest place of an open block that meets this one.
Bytes Tree::ground_without(int block) const {
  Bytes lowest = kFar;
  for (int s = item(block).first; s < item(block).end; ++s) {
    const Section& section = sections_[static_cast<size_t>(s)];
    lowest = std::min(lowest, section.lowest == block ? section.ground_but_lowest : section.ground);
  }
  return lowest;
}

/// Lowest end of an open block that meets this one.
Bytes Tree::top_without(int block) const {
  Bytes lowest = kFar;
  for (int s = item(block).first; s < item(block).end; ++s) {
    const Section& section = sections_[static_cast<size_t>(s)];
    lowest = std::min(lowest, section.first_done == block ? section.top_but_first : section.top);
  }
  return lowest;
}

/// A block above its base needs an open block to rest on, and one that keeps it from its base.
bool Tree::supported(int block) {
  const Bytes support = top_without(block);
  if (support == kFar || loses_nothing(block)) return false;
  if (support > least(block)) set_bounds(block, base(block), support);
  return true;
}

// --- Choice
// ----------------------------------------------------------------------------------------------------

bool Tree::goes_before(int a, int b) {
  if (base(a) != base(b)) return base(a) < base(b);
  const auto i = static_cast<size_t>(a), j = static_cast<size_t>(b);
  if (guide_->rule == Guide::Rule::LowestBlock && failures_[i] != failures_[j])
    return failures_[i] > failures_[j];
  return guide_->rank[i] < guide_->rank[j];
}

/// There is one as long as a block is open: the lowest least_ of all is a base, and nothing ends below it.
int Tree::choose(int first, int end, const Group& group) {
  for (const int b : group)
    if (rests(b) && loses_nothing(b)) return b;
  const int in_section =
      guide_->rule == Guide::Rule::LowestBlock ? kNone : choose_in_section(first, end, group);
  if (in_section != kNone) return in_section;
  int best = kNone;
  for (const int b : group)
    if (rests(b) && (best == kNone || goes_before(b, best)) && nothing_gets_below(b)) best = b;
  return best;
}

int Tree::choose_in_section(int first, int end, const Group& group) {
  std::fill(resting_.begin() + first, resting_.begin() + end, 0);
  std::vector<int> candidates;
  for (const int b : group) {
    if (!rests(b) || !nothing_gets_below(b)) continue;
    candidates.push_back(b);
    for (int s = item(b).first; s < item(b).end; ++s)
      if (sections_[static_cast<size_t>(s)].ground == base(b)) ++resting_[static_cast<size_t>(s)];
  }
  const bool tightest = guide_->rule == Guide::Rule::TightestSection;
  const auto urgency = [&](int s) {
    const Section& section = sections_[static_cast<size_t>(s)];
    return std::tuple(tightest ? 0 : section.ground, section.room, resting_[static_cast<size_t>(s)]);
  };
  // Where a block on the ground waits for another one, the choice is not complete: the tightest rule skips
  // it.
  const auto can_branch = [&](int s) {
    const int resting = resting_[static_cast<size_t>(s)];
    return resting > 0 && (!tightest || resting == sections_[static_cast<size_t>(s)].on_ground);
  };
  int best = kNone;
  for (int s = first; s < end; ++s)
    if (can_branch(s) && (best == kNone || urgency(s) < urgency(best))) best = s;
  if (best == kNone) return kNone;
  int chosen = kNone;
  for (const int b : candidates) {
    if (item(b).first > best || item(b).end <= best) continue;
    if (base(b) != sections_[static_cast<size_t>(best)].ground) continue;
    if (chosen == kNone || goes_before(b, chosen)) chosen = b;
  }
  return chosen;
}

// --- Search
// ----------------------------------------------------------------------------------------------------

/// Places the group's open blocks, all within these sections. Failing, leaves the undoing to the caller.
bool Tree::fit(int first, int end, const Group& group) {
  if (!propagate()) return false;
  struct Part {
    int first, end;
    Group group;
  };
  std::vector<Part> parts;
  for (int s = first, start = first; s < end; ++s) {
    part_of_section_[static_cast<size_t>(s)] = static_cast<int>(parts.size());
    if (s + 1 < end && bridges_[static_cast<size_t>(s)] > 0) continue;
    parts.push_back({start, s + 1, {}});
    start = s + 1;
  }
  for (const int b : group)
    if (open(b))
      parts[static_cast<size_t>(part_of_section_[static_cast<size_t>(item(b).first)])].group.push_back(b);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.group.size() < b.group.size(); });
  return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    return part.group.empty() || fit_connected(part.first, part.end, part.group);
  });
}

bool Tree::fit_connected(int first, int end, const Group& group) {
  const Key state = key(group);
  if (refuted_.count(state) != 0) return false;
  if (branch(first, end, group)) return true;
  if (!gave_up_ && refuted_.size() < kRemembered) refuted_.insert(state);
  return false;
}

bool Tree::branch(int first, int end, const Group& group) {
  for (;;) {
    const int block = choose(first, end, group);
    if (nodes_ == limit_) {
      gave_up_ = true;
      return false;
    }
    ++nodes_;
    const bool only = loses_nothing(block);
    const Mark before = mark();
    place(block);
    if (fit(first, end, group)) return true;
    if (gave_up_ || only) return false;
    undo(before);
    if (!refute(block, group)) return false;
  }
}

/// The block does not lie at its base, nor does one just like it.
bool Tree::refute(int block, const Group& group) {
  for (const int b : group)
    if (item(b).kind == item(block).kind && rests(b)) set_bounds(b, base(b), base(b) + 1);
  return propagate();
}

/// Hashes the open blocks with their bounds. The hash stays the same when blocks of one kind are swapped.
Tree::Key Tree::key(const Group& group) {
  Key sum{0, 0};
  for (const int b : group) {
    const uint64_t bounds = mix(static_cast<uint64_t>(base(b)) * 0x9e3779b97f4a7c15ULL +
                                static_cast<uint64_t>(item(b).kind) + 1) +
                            static_cast<uint64_t>(least(b));
    sum.first += mix(bounds);
    sum.second += mix(bounds ^ 0xd6e8feb86659fd93ULL);
  }
  return sum;
}

}  // namespace n2d2::memory
