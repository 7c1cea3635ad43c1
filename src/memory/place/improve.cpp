#include "improve.hpp"

#include <limits>

#include "search.hpp"
#include "search_in_time.hpp"
#include "search_pairs.hpp"

namespace n2d2::memory {

namespace {

/// Real networks need fewer than a hundred nodes; a search in time that takes this many is lost.
constexpr int64_t kNodesInTime = 20'000;
constexpr int64_t kNodesToGrant = 500;
/// A search goes as deep as there are blocks, and takes a node for each at least: beyond this the strategy's
/// plan stands.
constexpr size_t kBlocksToSearch = 5'000;
/// Caps tried by the search in time between the bound and the peak known.
constexpr int kCaps = 8;
/// A decision between pairs propagates through all blocks; it counts for as many nodes of the other searches.
constexpr int64_t kNodesPerDecision = 16;

class Improvement {
 public:
  Improvement(const Packing& packing, Placement start, int64_t nodes)
      : p_(packing), best_(std::move(start)), unlimited_(nodes == 0), left_(nodes) {
    peak_ = peak_of(p_.blocks, best_.offsets);
  }

  Placement run(const std::vector<bool>& wishes) {
    if (p_.blocks.size() > kBlocksToSearch) return std::move(best_);
    low_ = bound_of(p_);
    if (peak_ > low_ && p_.pairs.empty()) {
      if (auto offsets = search(p_.blocks, p_.alignment, peak_, left_)) best_.offsets = std::move(*offsets);
      return std::move(best_);
    }
    if (peak_ > low_) step_by_step();
    if (peak_ > low_) exhaustive();
    grant(wishes);
    return std::move(best_);
  }

 private:
  void keep(Placement placement) {
    best_ = std::move(placement);
    peak_ = peak_of(p_.blocks, best_.offsets);
  }
  bool out_of_nodes() const { return !unlimited_ && left_ <= 0; }

  std::optional<Placement> in_time(Bytes cap) {
    TimeSearch search{{}, 0, unlimited_ ? kNodesInTime : std::min(left_, kNodesInTime)};
    auto found = search_in_time(p_, cap, search);
    left_ -= search.nodes;
    return found;
  }

  /// The bound first, for that is what most networks reach; then halving.
  void step_by_step() {
    Bytes failed = low_ - 1;
    Bytes cap = low_;
    for (int i = 0; i < kCaps && cap < peak_ && !out_of_nodes(); ++i) {
      if (auto found = in_time(cap))
        keep(std::move(*found));
      else
        failed = cap;
      cap = failed + (peak_ - failed) / 2;
      if (cap == failed) break;
    }
  }

  void exhaustive() {
    Bytes cap = low_;
    while (low_ < peak_ && !out_of_nodes()) {
      PairSearch search;
      search.limit = unlimited_ ? std::numeric_limits<int64_t>::max() : left_ / kNodesPerDecision / 2 + 1;
      Placement found;
      const Verdict verdict = search_pairs(p_, cap, search, found);
      left_ -= (search.nodes + 1) * kNodesPerDecision;
      if (verdict == Verdict::Fits)
        keep(std::move(found));
      else
        low_ = cap + 1;  // proven, or given up
      cap = low_ + (peak_ - low_) / 2;
      if (cap == peak_) cap = peak_ - 1;
    }
  }

  /// Takes overlaps back that the peak does not need: of steps with a wish first, then of all others, for
  /// rows that may come in any order may also be shared out to threads.
  void grant(const std::vector<bool>& wishes) {
    if (p_.blocks.size() > static_cast<size_t>(kNodesToGrant)) return;  // no search would come to its end
    apart_.assign(p_.pairs.size(), false);
    for (const bool wish : {true, false})
      for (size_t i = 0; i < p_.pairs.size(); ++i)
        if (wishes[static_cast<size_t>(p_.pairs[i].step)] == wish) apart_[i] = stays_apart(i);
  }

  bool stays_apart(size_t pair) {
    if (!best_.scan_of_pair[pair]) return true;
    apart_[pair] = true;
    TimeSearch search{apart_, 0, kNodesToGrant};
    auto found = search_in_time(p_, peak_, search);
    if (!found) return false;
    best_ = std::move(*found);
    return true;
  }

  const Packing& p_;
  Placement best_;
  bool unlimited_;
  int64_t left_;
  Bytes peak_ = 0, low_ = 0;
  std::vector<bool> apart_;
};

}  // namespace

Placement improve(const Packing& packing, Placement start, int64_t nodes, const std::vector<bool>& wishes) {
  return Improvement(packing, std::move(start), nodes).run(wishes);
}

}  // namespace n2d2::memory
