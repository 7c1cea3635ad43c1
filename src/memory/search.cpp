#include "search.hpp"

#include <limits>
#include <tuple>

namespace n2d2::memory {

namespace {

/// One trial: do the blocks fit below `cap`?
///
/// Time is cut into sections at every birth and death. `floor_[s]` is the lowest offset still free in section s,
/// `rest_[s]` the bytes of unplaced blocks alive there. Blocks are placed at the highest floor of their
/// sections, in order of rising offset, so a solution is found in exactly one order (but for ties).
class Trial {
 public:
  enum class Result { Fits, FitsNot, GaveUp };

  Trial(std::span<const Block> blocks, Bytes alignment, Bytes cap, int64_t nodes)
      : cap_(cap), nodes_(nodes), offsets_(blocks.size(), 0) {
    std::vector<int> times;
    for (const Block& block : blocks) times.insert(times.end(), {block.life.first, block.life.end});
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const auto section = [&](int time) {
      return static_cast<size_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
    };
    floor_.assign(times.size(), 0);
    rest_.assign(times.size(), 0);
    lowest_.assign(times.size(), 0);
    for (size_t i = 0; i < blocks.size(); ++i) {
      const Block& block = blocks[i];
      items_.push_back({i, block.size, round_up(block.size, alignment), section(block.life.first),
                        section(block.life.end), length(block.life)});
      slack_ = std::max(slack_, items_.back().rounded - block.size);
      for (size_t s = items_.back().first; s < items_.back().end; ++s) rest_[s] += items_.back().rounded;
    }
    const auto key = [](const Item& a) {
      return std::tuple(-static_cast<double>(a.size) * a.life, -a.size, a.first, a.end, a.block);
    };
    std::sort(items_.begin(), items_.end(), [&](const Item& a, const Item& b) { return key(a) < key(b); });
  }

  Result run() {
    std::vector<int> all(items_.size());
    std::iota(all.begin(), all.end(), 0);
    if (fit(all, 0)) return Result::Fits;
    return gave_up_ ? Result::GaveUp : Result::FitsNot;
  }
  const std::vector<Bytes>& offsets() const { return offsets_; }
  int64_t nodes_left() const { return nodes_; }

 private:
  struct Item {
    size_t block;
    Bytes size, rounded;
    size_t first, end;  // sections
    int life;
  };
  struct Candidate {
    Bytes offset;
    int item;
  };
  using Group = std::vector<int>;  // unplaced items, in order of items_

  const Item& item(int i) const { return items_[static_cast<size_t>(i)]; }

  /// Places the group's items at `least` or higher. Parts that share no section are independent.
  bool fit(const Group& group, Bytes least) {
    if (group.empty()) return true;
    const auto parts = split(group);
    if (parts.size() == 1) return fit_connected(group, least);
    const auto floor = floor_, rest = rest_;
    for (const Group& part : parts) {
      if (fit_connected(part, least)) continue;
      floor_ = floor;
      rest_ = rest;
      return false;
    }
    return true;
  }

  std::vector<Group> split(const Group& group) const {
    Group by_start = group;
    std::stable_sort(by_start.begin(), by_start.end(),
                     [&](int a, int b) { return item(a).first < item(b).first; });
    std::vector<Group> parts;
    size_t end = 0;
    for (const int i : by_start) {
      if (parts.empty() || item(i).first >= end) parts.emplace_back();
      parts.back().push_back(i);
      end = std::max(end, item(i).end);
    }
    for (Group& part : parts) std::sort(part.begin(), part.end());
    return parts;
  }

  bool fit_connected(const Group& group, Bytes least) {
    std::vector<Candidate> candidates;
    if (!promising(group, least, candidates)) return false;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.offset < b.offset; });
    for (size_t c = 0; c < candidates.size(); ++c) {
      if (twin_tried(candidates, c)) continue;
      if (nodes_ == 0) {
        gave_up_ = true;
        return false;
      }
      --nodes_;
      if (place(group, candidates[c])) return true;
      if (gave_up_) return false;
    }
    return false;
  }

  /// Nothing of the group is bound to stick out; `candidates` are the items worth placing next.
  bool promising(const Group& group, Bytes least, std::vector<Candidate>& candidates) {
    constexpr Bytes kFar = std::numeric_limits<Bytes>::max();
    size_t first = floor_.size(), end = 0;
    Bytes lowest_top = kFar;
    std::vector<Bytes> at(group.size());
    for (size_t g = 0; g < group.size(); ++g) {
      const Item& it = item(group[g]);
      at[g] = *std::max_element(floor_.begin() + static_cast<std::ptrdiff_t>(it.first),
                                floor_.begin() + static_cast<std::ptrdiff_t>(it.end));
      if (std::max(at[g], least) + it.size > cap_) return false;
      lowest_top = std::min(lowest_top, std::max(at[g], least) + it.rounded);
      first = std::min(first, it.first);
      end = std::max(end, it.end);
    }
    std::fill(lowest_.begin() + static_cast<std::ptrdiff_t>(first),
              lowest_.begin() + static_cast<std::ptrdiff_t>(end), kFar);
    for (size_t g = 0; g < group.size(); ++g)
      for (size_t s = item(group[g]).first; s < item(group[g]).end; ++s)
        lowest_[s] = std::min(lowest_[s], std::max(at[g], least));
    for (size_t s = first; s < end; ++s)
      if (rest_[s] > 0 && lowest_[s] + rest_[s] - slack_ > cap_) return false;
    for (size_t g = 0; g < group.size(); ++g)
      if (at[g] >= least && at[g] < lowest_top) candidates.push_back({at[g], group[g]});
    return true;
  }

  /// An item of the same size and life at the same offset has been tried at this node.
  bool twin_tried(const std::vector<Candidate>& candidates, size_t c) const {
    const Item& a = item(candidates[c].item);
    for (size_t d = 0; d < c; ++d) {
      const Item& b = item(candidates[d].item);
      if (a.size == b.size && a.first == b.first && a.end == b.end) return true;
    }
    return false;
  }

  bool place(const Group& group, const Candidate& candidate) {
    const Item& it = item(candidate.item);
    const std::vector<Bytes> before(floor_.begin() + static_cast<std::ptrdiff_t>(it.first),
                                    floor_.begin() + static_cast<std::ptrdiff_t>(it.end));
    for (size_t s = it.first; s < it.end; ++s) {
      floor_[s] = candidate.offset + it.rounded;
      rest_[s] -= it.rounded;
    }
    offsets_[it.block] = candidate.offset;
    Group others;
    for (const int i : group)
      if (i != candidate.item) others.push_back(i);
    if (fit(others, candidate.offset)) return true;
    std::copy(before.begin(), before.end(), floor_.begin() + static_cast<std::ptrdiff_t>(it.first));
    for (size_t s = it.first; s < it.end; ++s) rest_[s] += it.rounded;
    return false;
  }

  Bytes cap_;
  int64_t nodes_;
  bool gave_up_ = false;
  Bytes slack_ = 0;  // the topmost block need not be rounded up
  std::vector<Item> items_;
  std::vector<Bytes> floor_, rest_, lowest_;
  std::vector<Bytes> offsets_;
};

}  // namespace

std::optional<std::vector<Bytes>> search(std::span<const Block> blocks, Bytes alignment, Bytes known,
                                         int64_t nodes) {
  constexpr int64_t kNoLimit = -1;
  int64_t left = nodes == 0 ? kNoLimit : nodes;
  std::optional<std::vector<Bytes>> best;
  Bytes low = bound_of(blocks, alignment);  // nothing lower is tried any more
  Bytes cap = low;                          // the bound itself is met more often than not
  while (low < known && left != 0) {
    const int64_t share = left == kNoLimit ? kNoLimit : std::max<int64_t>(left / 2, 1);
    Trial trial(blocks, alignment, cap, share);
    const auto result = trial.run();
    if (left != kNoLimit) left -= share - trial.nodes_left();
    if (result == Trial::Result::Fits) {
      best = trial.offsets();
      known = peak_of(blocks, *best);
    } else {
      low = cap + 1;
      if (left != kNoLimit && share == trial.nodes_left()) left -= 1;  // refuted without a placement
    }
    cap = low + (known - low) / 2;
    if (cap == known) cap = known - 1;
  }
  return best;
}

}  // namespace n2d2::memory
