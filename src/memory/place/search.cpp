#include "search.hpp"

#include <array>
#include <limits>

#include "n2d2/base/random.hpp"

#include "search_tree.hpp"

namespace n2d2::memory {

namespace {

constexpr std::array kRules{Guide::Rule::LowestBlock, Guide::Rule::TightestSection,
                            Guide::Rule::LowestSection};
constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
constexpr int64_t kShortWalk = 3;    // nodes a block
constexpr int64_t kFirstTrial = 12;  // nodes a block; four times as many in each round
constexpr int64_t kLowestShare = 4;  // times as many for the lowest peak of a round

/// 256 log2(value), rounded down between powers of two by the chord: the same on every machine. value >= 1.
int64_t log_of(int64_t value) {
  int64_t power = 0;
  while ((value >> power) > 1) ++power;
  return 256 * power + ((value - (int64_t{1} << power)) * 256 >> power);
}

/// Guides that differ in the rule and in how much size, life, load and chance count for the rank.
class Guides {
 public:
  Guides(std::span<const Block> blocks, const Tree& tree) {
    for (size_t b = 0; b < blocks.size(); ++b)
      logs_.push_back({log_of(std::max<int64_t>(blocks[b].size, 1)),
                       log_of(std::max<int64_t>(length(blocks[b].life), 1)),
                       log_of(std::max<int64_t>(tree.load(b), 1))});
  }

  Guide next() {
    Rng rng(0, "memory search", count_);
    Guide guide{kRules[count_ % kRules.size()], std::vector<int>(logs_.size())};
    ++count_;
    const auto weight = [&](int64_t low, uint64_t range) {
      return low + static_cast<int64_t>(rng.below(range));
    };
    // 64 stands for 1; the load may count for up to 30, the noise for a factor of 1.7 in size.
    const int64_t of_size = weight(-32, 128), of_life = weight(-32, 128), of_load = weight(0, 1920);
    const int64_t noise = rng.chance(0.5) ? weight(1, 12288) : 1;
    std::vector<int64_t> value;
    for (const Logs& logs : logs_)
      value.push_back(of_size * logs.size + of_life * logs.life + of_load * logs.load +
                      weight(0, static_cast<uint64_t>(noise)));
    std::vector<size_t> order(logs_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return value[a] > value[b]; });
    for (size_t i = 0; i < order.size(); ++i) guide.rank[order[i]] = static_cast<int>(i);
    return guide;
  }

 private:
  struct Logs {
    int64_t size, life, load;
  };
  std::vector<Logs> logs_;
  uint64_t count_ = 0;
};

class Search {
 public:
  Search(std::span<const Block> blocks, Bytes alignment, Bytes known, int64_t nodes)
      : blocks_(blocks),
        tree_(blocks, alignment),
        guides_(blocks, tree_),
        low_(tree_.peak_from(bound_of(blocks, alignment))),
        known_(known),
        left_(nodes) {}

  /// Rounds of trials with growing limits, until the peak is low enough or proven.
  void run(Bytes target) {
    const auto count = static_cast<int64_t>(blocks_.size());
    for (int64_t limit = kFirstTrial * count; !done(target); limit *= 4) round(target, limit);
  }
  std::optional<std::vector<Bytes>> best() { return std::move(best_); }
  int64_t left() const { return left_; }

 private:
  bool done(Bytes target) const { return low_ >= known_ || known_ <= target || left_ == 0; }

  /// From the lowest peak up, halving what lies between it and the one known.
  void round(Bytes target, int64_t limit) {
    Bytes low = std::max(low_, tree_.peak_to(target));  // neither met nor refuted within the limit
    Bytes cap = low;
    int64_t share = limit * kLowestShare;
    while (!done(target) && low < known_) {
      switch (trial(cap, std::min(left_, share))) {
        case Tree::Result::Fits:
          break;
        case Tree::Result::FitsNot:
          low = low_ = tree_.peak_from(cap + 1);
          break;
        case Tree::Result::GaveUp:
          low = tree_.peak_from(cap + 1);
          break;
      }
      cap = std::max(low, tree_.peak_to(low + (known_ - 1 - low) / 2));
      share = limit;
    }
  }

  Tree::Result trial(Bytes cap, int64_t limit) {
    tree_.set_cap(cap);
    const int64_t walk = kShortWalk * static_cast<int64_t>(blocks_.size());
    for (int64_t used = 0, next_long = 2 * walk; used < limit;) {
      int64_t share = walk;
      if (used >= next_long) {
        share = used;
        next_long = 4 * used;
      }
      const auto result = tree_.run(guides_.next(), std::min(share, limit - used));
      used += tree_.nodes();
      left_ -= tree_.nodes();
      if (result == Tree::Result::Fits) {
        best_ = tree_.offsets();
        known_ = peak_of(blocks_, *best_);
      }
      if (result != Tree::Result::GaveUp) return result;
    }
    return Tree::Result::GaveUp;
  }

  std::span<const Block> blocks_;
  Tree tree_;
  Guides guides_;
  Bytes low_;    // no placement has a lower peak
  Bytes known_;  // some placement has it
  int64_t left_;
  std::optional<std::vector<Bytes>> best_;
};

}  // namespace

std::optional<std::vector<Bytes>> search(std::span<const Block> blocks, Bytes alignment, Bytes known,
                                         int64_t nodes, Bytes target, int64_t* placed) {
  const int64_t limit = nodes == 0 ? kUnlimited : nodes;
  if (placed != nullptr) *placed = 0;
  if (blocks.empty()) return std::nullopt;
  Search search(blocks, alignment, known, limit);
  search.run(target);
  if (placed != nullptr) *placed = limit - search.left();
  return search.best();
}

}  // namespace n2d2::memory
