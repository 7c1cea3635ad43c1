#include "search_in_time.hpp"

#include <set>
#include <tuple>

namespace n2d2::memory {

namespace {

class TimeOrder {
 public:
  TimeOrder(const Packing& packing, Bytes cap, TimeSearch& search)
      : p_(packing), cap_(cap), search_(search), pairs_of_(packing.blocks.size()) {
    StepId steps = 0;
    for (const Pair& pair : p_.pairs) steps = std::max(steps, pair.step + 1);
    pairs_in_.resize(static_cast<size_t>(steps));
    result_.offsets.assign(p_.blocks.size(), 0);
    result_.scan_of_pair.assign(p_.pairs.size(), std::nullopt);
    for (size_t i = 0; i < p_.pairs.size(); ++i) {
      pairs_in_[static_cast<size_t>(p_.pairs[i].step)].push_back(static_cast<int>(i));
      if (search_.apart.empty() || !search_.apart[i])
        pairs_of_[static_cast<size_t>(p_.pairs[i].born)].push_back(static_cast<int>(i));
    }
    order_.resize(p_.blocks.size());
    std::iota(order_.begin(), order_.end(), 0);
    const auto key = [&](int b) {  // an output comes after the inputs it may overlap
      return std::tuple(block(b).life.first, !pairs_of_[static_cast<size_t>(b)].empty(), -block(b).size, b);
    };
    std::sort(order_.begin(), order_.end(), [&](int a, int b) { return key(a) < key(b); });
  }

  std::optional<Placement> run() {
    for (const Block& block : p_.blocks)
      if (block.size > cap_) return std::nullopt;
    if (!place_from(0, {})) return std::nullopt;
    return result_;
  }

 private:
  struct Candidate {
    Bytes offset, to_an_end;
    std::vector<int> overlaps;  // new pairs
    Scan scan = Scan::TopDown;  // of the step, all its overlaps included
  };

  const Block& block(int b) const { return p_.blocks[static_cast<size_t>(b)]; }
  Bytes& at(int b) { return result_.offsets[static_cast<size_t>(b)]; }

  bool place_from(size_t next, std::vector<int> live) {
    if (next == order_.size()) return true;
    const int newest = order_[next];
    std::erase_if(live, [&](int b) { return block(b).life.end <= block(newest).life.first; });
    std::vector<Bytes> state{static_cast<Bytes>(next)};
    for (const int b : live) state.push_back(at(b));
    if (failed_.contains(state)) return false;
    for (const Candidate& candidate : candidates(newest, live)) {
      if (++search_.nodes > search_.limit) return false;
      at(newest) = candidate.offset;
      const std::vector<int> before = candidate.overlaps.empty() ? std::vector<int>{} : overlaps_with(newest);
      const auto scan_before = before.empty() ? std::nullopt : scan_of(before.front());
      for (const int pair : before) scan_of(pair) = candidate.scan;
      for (const int pair : candidate.overlaps) scan_of(pair) = candidate.scan;
      live.push_back(newest);
      if (place_from(next + 1, live)) return true;
      live.pop_back();
      for (const int pair : before) scan_of(pair) = scan_before;
      for (const int pair : candidate.overlaps) scan_of(pair).reset();
    }
    if (search_.nodes <= search_.limit && failed_.size() < kStates) failed_.insert(std::move(state));
    return false;
  }

  std::optional<Scan>& scan_of(int pair) { return result_.scan_of_pair[static_cast<size_t>(pair)]; }

  /// Overlaps of other outputs of the same step, placed before.
  std::vector<int> overlaps_with(int newest) {
    std::vector<int> out;
    const auto& own = pairs_of_[static_cast<size_t>(newest)];
    if (own.empty()) return out;
    const StepId step = p_.pairs[static_cast<size_t>(own.front())].step;
    for (const int i : pairs_in_[static_cast<size_t>(step)])
      if (p_.pairs[static_cast<size_t>(i)].born != newest && scan_of(i)) out.push_back(i);
    return out;
  }

  std::vector<Candidate> candidates(int newest, const std::vector<int>& live) {
    const Bytes size = block(newest).size, a = p_.alignment;
    std::set<Bytes> places{0, round_down(cap_ - size, a)};
    for (const int b : live) {
      places.insert(round_down(at(b) - size, a));
      places.insert(round_up(at(b) + block(b).size, a));
    }
    for (const int i : pairs_of_[static_cast<size_t>(newest)]) {
      const Pair& pair = p_.pairs[static_cast<size_t>(i)];
      const Bytes input = at(pair.dying);
      if (pair.top_down) places.insert(round_down(input + *pair.top_down, a));
      if (pair.bottom_up) places.insert(round_up(input + *pair.bottom_up, a));
      if (pair.in_place && *pair.in_place % a == 0) places.insert(input + *pair.in_place);
    }
    std::vector<Candidate> out;
    for (const Bytes offset : places)
      if (offset >= 0 && offset + size <= cap_)
        if (auto candidate = candidate_at(newest, offset, live)) out.push_back(std::move(*candidate));
    std::stable_sort(out.begin(), out.end(),
                     [](const Candidate& x, const Candidate& y) { return x.to_an_end < y.to_an_end; });
    return out;
  }

  /// All overlaps of a block happen in its first step, which has one scan for all its outputs.
  std::optional<Candidate> candidate_at(int newest, Bytes offset, const std::vector<int>& live) {
    const Bytes size = block(newest).size;
    Candidate out{offset, std::min(offset, cap_ - offset - size), {}, Scan::TopDown};
    bool top_down = true, bottom_up = true;
    for (const int b : live) {
      if (!meet(block(newest), offset, block(b), at(b))) continue;
      const Pair* pair = nullptr;
      for (const int i : pairs_of_[static_cast<size_t>(newest)])
        if (p_.pairs[static_cast<size_t>(i)].dying == b) {
          pair = &p_.pairs[static_cast<size_t>(i)];
          out.overlaps.push_back(i);
        }
      if (pair == nullptr) return std::nullopt;
      top_down = top_down && pair->allows(offset - at(b), Scan::TopDown);
      bottom_up = bottom_up && pair->allows(offset - at(b), Scan::BottomUp);
    }
    if (!out.overlaps.empty())
      for (const int i : overlaps_with(newest)) {
        const Pair& other = p_.pairs[static_cast<size_t>(i)];
        top_down = top_down && other.allows(at(other.born) - at(other.dying), Scan::TopDown);
        bottom_up = bottom_up && other.allows(at(other.born) - at(other.dying), Scan::BottomUp);
      }
    if (!top_down && !bottom_up) return std::nullopt;
    if (!top_down) out.scan = Scan::BottomUp;
    return out;
  }

  static constexpr size_t kStates = 100'000;  // failed states worth remembering

  const Packing& p_;
  Bytes cap_;
  TimeSearch& search_;
  std::vector<std::vector<int>> pairs_of_;  // of the block that is born
  std::vector<std::vector<int>> pairs_in_;  // of the step
  std::vector<int> order_;
  std::set<std::vector<Bytes>> failed_;
  Placement result_;
};

}  // namespace

std::optional<Placement> search_in_time(const Packing& packing, Bytes cap, TimeSearch& search) {
  return TimeOrder(packing, cap, search).run();
}

}  // namespace n2d2::memory
