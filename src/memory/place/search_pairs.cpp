#include "search_pairs.hpp"

namespace n2d2::memory {

namespace {

/// start of `to` >= start of `from` + distance
struct Difference {
  int from, to;
  Bytes distance;
};

/// One way to settle two blocks that live together.
struct Option {
  std::vector<Difference> differences;
  int pair = kNone;
  std::optional<Scan> scan;
};

struct Conflict {
  int a, b;
  int pair = kNone;
  std::vector<Option> options;
};

class Settling {
 public:
  Settling(const Packing& packing, Bytes cap, PairSearch& search) : p_(packing), search_(search) {
    const size_t count = p_.blocks.size();
    lowest_.assign(count, 0);
    for (const Block& block : p_.blocks) highest_.push_back(round_down(cap - block.size, p_.alignment));
    below_.resize(count);
    above_.resize(count);
    for (const Pair& q : p_.pairs)
      if (static_cast<size_t>(q.step) >= scan_.size()) scan_.resize(static_cast<size_t>(q.step) + 1);
    for (size_t a = 0; a < count; ++a)
      for (size_t b = 0; b < a; ++b)
        if (p_.blocks[a].life.overlaps(p_.blocks[b].life))
          conflicts_.push_back(conflict(static_cast<int>(a), static_cast<int>(b)));
    settled_.assign(conflicts_.size(), false);
  }

  Verdict run(Placement& placement) {
    for (const Bytes highest : highest_)
      if (highest < 0) return Verdict::FitsNot;
    if (!search()) return gave_up_ ? Verdict::GaveUp : Verdict::FitsNot;
    placement.offsets = lowest_;
    placement.scan_of_pair.assign(p_.pairs.size(), std::nullopt);
    for (const Conflict& c : conflicts_)
      if (c.pair != kNone && meet(block(c.a), low(c.a), block(c.b), low(c.b)))
        placement.scan_of_pair[static_cast<size_t>(c.pair)] = *common_scan(pair(c.pair).step);
    return Verdict::Fits;
  }

 private:
  struct Undo {
    bool lowest;
    int block;
    Bytes value;
  };

  const Block& block(int b) const { return p_.blocks[static_cast<size_t>(b)]; }
  const Pair& pair(int i) const { return p_.pairs[static_cast<size_t>(i)]; }
  Bytes low(int b) const { return lowest_[static_cast<size_t>(b)]; }
  Bytes high(int b) const { return highest_[static_cast<size_t>(b)]; }

  Conflict conflict(int a, int b) const {
    Conflict out{a, b, kNone, {}};
    for (size_t i = 0; i < p_.pairs.size(); ++i) {
      const Pair& q = p_.pairs[i];
      if (!(q.dying == a && q.born == b) && !(q.dying == b && q.born == a)) continue;
      out.pair = static_cast<int>(i);
      const auto option = [&](std::vector<Difference> differences, std::optional<Scan> scan) {
        out.options.push_back({std::move(differences), out.pair, scan});
      };
      if (q.in_place) option({{q.dying, q.born, *q.in_place}, {q.born, q.dying, -*q.in_place}}, {});
      if (q.top_down) option({{q.born, q.dying, -*q.top_down}}, Scan::TopDown);
      if (q.bottom_up) option({{q.dying, q.born, *q.bottom_up}}, Scan::BottomUp);
    }
    out.options.push_back({{{a, b, block(a).size}}, kNone, {}});
    out.options.push_back({{{b, a, block(b).size}}, kNone, {}});
    return out;
  }

  /// What the overlaps of a step, decided or as the lowest offsets have them, leave of the scans.
  std::optional<Scan> common_scan(StepId step) const {
    bool top_down = scan_[static_cast<size_t>(step)] != Scan::BottomUp;
    bool bottom_up = scan_[static_cast<size_t>(step)] != Scan::TopDown;
    for (const Pair& q : p_.pairs) {
      if (q.step != step || !meet(block(q.born), low(q.born), block(q.dying), low(q.dying))) continue;
      top_down = top_down && q.allows(low(q.born) - low(q.dying), Scan::TopDown);
      bottom_up = bottom_up && q.allows(low(q.born) - low(q.dying), Scan::BottomUp);
    }
    if (top_down) return Scan::TopDown;
    if (bottom_up) return Scan::BottomUp;
    return std::nullopt;
  }

  bool holds(const Conflict& c) const {
    if (!meet(block(c.a), low(c.a), block(c.b), low(c.b))) return true;
    return c.pair != kNone && common_scan(pair(c.pair).step).has_value();
  }

  bool possible(const Option& option) const {
    for (const Difference& d : option.differences)
      if (low(d.from) + d.distance > high(d.to)) return false;
    if (!option.scan) return true;
    const auto& decided = scan_[static_cast<size_t>(pair(option.pair).step)];
    return !decided || decided == option.scan;
  }

  bool search() {
    const size_t undo = undo_.size(), settled = trail_.size();
    if (propagate_units()) {
      const int next = most_constrained();
      if (next == kNone) return true;
      if (branch(next)) return true;
    }
    roll_back(undo, settled);
    return false;
  }

  bool branch(int index) {
    const Conflict& c = conflicts_[static_cast<size_t>(index)];
    for (const Option& option : c.options) {
      if (!possible(option)) continue;
      if (++search_.nodes > search_.limit) {
        gave_up_ = true;
        return false;
      }
      const size_t undo = undo_.size(), settled = trail_.size();
      if (decide(index, option) && search()) return true;
      roll_back(undo, settled);
      if (gave_up_) return false;
    }
    return false;
  }

  /// Decides what has one option left, until nothing changes. False: something has none.
  bool propagate_units() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < conflicts_.size(); ++i) {
        if (settled_[i]) continue;
        const Option* only = nullptr;
        int count = 0;
        for (const Option& option : conflicts_[i].options)
          if (possible(option)) only = &option, ++count;
        if (count == 0) return false;
        if (count > 1) continue;
        if (!decide(static_cast<int>(i), *only)) return false;
        changed = true;
      }
    }
    return true;
  }

  /// An open conflict the lowest offsets violate: fewest options, then most bytes.
  int most_constrained() const {
    int best = kNone, fewest = 0;
    Bytes most = 0;
    for (size_t i = 0; i < conflicts_.size(); ++i) {
      const Conflict& c = conflicts_[i];
      if (settled_[i] || holds(c)) continue;
      int count = 0;
      for (const Option& option : c.options) count += possible(option) ? 1 : 0;
      const Bytes bytes = block(c.a).size + block(c.b).size;
      if (best != kNone && std::pair(count, -bytes) >= std::pair(fewest, -most)) continue;
      best = static_cast<int>(i), fewest = count, most = bytes;
    }
    return best;
  }

  bool decide(int index, const Option& option) {
    settled_[static_cast<size_t>(index)] = true;
    Settled mark{index, kNone, option.differences.size()};
    if (option.scan && !scan_[static_cast<size_t>(pair(option.pair).step)]) {
      mark.scanned = pair(option.pair).step;
      scan_[static_cast<size_t>(mark.scanned)] = option.scan;
    }
    trail_.push_back(mark);
    for (const Difference& d : option.differences) {
      differences_.push_back(d);
      above_[static_cast<size_t>(d.from)].push_back(d);
      below_[static_cast<size_t>(d.to)].push_back(d);
    }
    for (const Difference& d : option.differences)
      if (!push_up(d) || !push_down(d)) return false;
    return true;
  }

  bool push_up(const Difference& first) {
    std::vector<Difference> open{first};
    while (!open.empty()) {
      const Difference d = open.back();
      open.pop_back();
      const Bytes value = round_up(low(d.from) + d.distance, p_.alignment);
      if (value <= low(d.to)) continue;
      if (value > high(d.to)) return false;
      undo_.push_back({true, d.to, low(d.to)});
      lowest_[static_cast<size_t>(d.to)] = value;
      const auto& next = above_[static_cast<size_t>(d.to)];
      open.insert(open.end(), next.begin(), next.end());
    }
    return true;
  }

  bool push_down(const Difference& first) {
    std::vector<Difference> open{first};
    while (!open.empty()) {
      const Difference d = open.back();
      open.pop_back();
      const Bytes value = round_down(high(d.to) - d.distance, p_.alignment);
      if (value >= high(d.from)) continue;
      if (value < low(d.from)) return false;
      undo_.push_back({false, d.from, high(d.from)});
      highest_[static_cast<size_t>(d.from)] = value;
      const auto& next = below_[static_cast<size_t>(d.from)];
      open.insert(open.end(), next.begin(), next.end());
    }
    return true;
  }

  void roll_back(size_t undo, size_t settled) {
    for (; undo_.size() > undo; undo_.pop_back()) {
      const Undo& u = undo_.back();
      (u.lowest ? lowest_ : highest_)[static_cast<size_t>(u.block)] = u.value;
    }
    for (; trail_.size() > settled; trail_.pop_back()) {
      const Settled& s = trail_.back();
      settled_[static_cast<size_t>(s.conflict)] = false;
      if (s.scanned != kNone) scan_[static_cast<size_t>(s.scanned)].reset();
      for (size_t i = 0; i < s.differences; ++i) {
        const Difference& d = differences_.back();
        above_[static_cast<size_t>(d.from)].pop_back();
        below_[static_cast<size_t>(d.to)].pop_back();
        differences_.pop_back();
      }
    }
  }

  struct Settled {
    int conflict, scanned;
    size_t differences;
  };

  const Packing& p_;
  PairSearch& search_;
  bool gave_up_ = false;
  std::vector<Bytes> lowest_, highest_;
  std::vector<std::optional<Scan>> scan_;  // decided, of each step
  std::vector<Conflict> conflicts_;
  std::vector<bool> settled_;
  std::vector<Difference> differences_;                 // decided, in order
  std::vector<std::vector<Difference>> above_, below_;  // the same by `from`, by `to`
  std::vector<Undo> undo_;
  std::vector<Settled> trail_;
};

}  // namespace

Verdict search_pairs(const Packing& packing, Bytes cap, PairSearch& search, Placement& placement) {
  return Settling(packing, cap, search).run(placement);
}

}  // namespace n2d2::memory
