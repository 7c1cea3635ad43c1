#include <algorithm>

#include <gtest/gtest.h>

#include "n2d2/memory/order.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "cases.hpp"
#include "problems.hpp"

namespace n2d2::memory {
namespace {

constexpr uint64_t kCases = cases(1500);
constexpr size_t kFewSteps = 8;

/// Every order in which no step comes before one that writes what it reads, by trial of all permutations;
/// reads and lanes are looked up in the problem itself.
class AllOrders {
 public:
  explicit AllOrders(const Problem& problem) : p_(problem), placed_(problem.steps.size(), false) {}

  template <class Visit>
  void visit(Visit visit) {
    if (order_.size() == p_.steps.size()) return visit(order_);
    for (size_t t = 0; t < p_.steps.size(); ++t) {
      if (placed_[t] || !ready(p_.steps[t])) continue;
      placed_[t] = true;
      order_.push_back(static_cast<StepId>(t));
      this->visit(visit);
      order_.pop_back();
      placed_[t] = false;
    }
  }

 private:
  bool lies_in(BufferId inner, BufferId outer) const {
    if (inner == outer) return true;
    const auto& inside = p_.buffers[static_cast<size_t>(inner)].inside;
    return inside && lies_in(inside->buffer, outer);
  }
  bool ready(const Step& step) const {
    for (size_t u = 0; u < p_.steps.size(); ++u)
      for (const Read& read : step.reads) {
        for (const BufferId written : p_.steps[u].writes)
          if (!placed_[u] && (lies_in(written, read.buffer) || lies_in(read.buffer, written))) return false;
      }
    return true;
  }

  const Problem& p_;
  std::vector<bool> placed_;
  std::vector<StepId> order_;
};

/// Layers that read maps at random, so that there is something to order; with `several` some write two maps,
/// one of them perhaps a lane beside what another step has written.
Problem branchy(Rng& rng, size_t steps, bool several = false) {
  Net net;
  const auto size = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
  net.problem.alignment = rng.chance(0.5) ? 1 : 4;
  std::vector<BufferId> maps{net.map("input", size(6), size(6), size(6))};
  if (rng.chance(0.3)) maps.push_back(net.map("second", size(6), size(6), size(6)));
  while (net.problem.steps.size() < steps) {
    const std::string name = "layer" + std::to_string(net.problem.steps.size());
    const auto read = [&]() -> Read {
      const BufferId from = maps[rng.below(maps.size())];
      if (rng.chance(0.2)) return {from, whole()};
      return {from, rows(size(3), size(2), size(2) - 1)};
    };
    if (rng.chance(0.2) && net.problem.steps.size() + 2 <= steps) {
      const int a = size(4), b = size(4);
      const BufferId host = net.map(name, size(6), size(6), a + b);
      net.step(name + "a", {read()}, net.lane(name + "a", host, 0, a));
      net.step(name + "b", {read()}, net.lane(name + "b", host, a, b));
      if (several && rng.chance(0.5)) {
        net.problem.steps.back().writes.push_back(net.map(name + "c", size(6), size(6), size(6)));
        maps.push_back(net.problem.steps.back().writes.back());
      }
      maps.push_back(host);
      continue;
    }
    std::vector<Read> reads{read()};
    if (rng.chance(0.4)) reads.push_back(read());
    const BufferId map = net.layer(name, reads, size(6), size(6), size(6));
    if (rng.chance(0.2)) net.problem.steps.back().scratch = size(60);
    if (rng.chance(0.1)) net.problem.steps.back().overlap = false;
    net.problem.buffers[static_cast<size_t>(map)].keep = rng.chance(0.1);
    maps.push_back(map);
    if (several && rng.chance(0.5)) {
      maps.push_back(net.map(name + "second", size(6), size(6), size(6)));
      net.problem.steps.back().writes.push_back(maps.back());
    }
  }
  net.problem.buffers[static_cast<size_t>(maps.back())].keep = true;
  return net.done();
}

/// The second half of 2 * kCases graphs has steps with several outputs.
TEST(OrderProperty, SmallGraphsReachTheLowestLoadOfAllOrders) {
  int moved = 0;
  for (uint64_t seed = 0; seed < 2 * kCases; ++seed) {
    Rng rng(seed % kCases, "order");
    const Problem p = branchy(rng, 3 + rng.below(kFewSteps - 5), seed >= kCases);
    ASSERT_TRUE(faults(p).empty()) << "seed " << seed << ": " << faults(p).front().text;
    Bytes lowest = lower_bound(p);
    AllOrders(p).visit([&](const std::vector<StepId>& order) {
      lowest = std::min(lowest, lower_bound(reordered(p, order)));
    });
    const auto order = best_order(p);
    const Problem better = reordered(p, order);
    EXPECT_TRUE(faults(better).empty()) << "seed " << seed;
    EXPECT_EQ(lower_bound(better), lowest) << "seed " << seed;
    if (lower_bound(p) == lowest)
      EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "seed " << seed;
    else
      ++moved;
  }
  EXPECT_GT(static_cast<uint64_t>(moved), kCases / 15);
  RecordProperty("moved", moved);
}

TEST(OrderProperty, LargeGraphsAreOrderedWithoutALossAndPlanned) {
  int moved = 0;
  for (uint64_t seed = 0; seed < kCases / 50; ++seed) {
    Rng rng(seed, "large order");
    const Problem p = branchy(rng, 20 + rng.below(130));
    const Problem better = reordered(p, best_order(p));
    EXPECT_LE(lower_bound(better), lower_bound(p)) << "seed " << seed;
    EXPECT_EQ(best_order(p), best_order(p)) << "seed " << seed;
    EXPECT_TRUE(validate(better, solve(better, "None")).empty()) << "seed " << seed;
    moved += lower_bound(better) < lower_bound(p) ? 1 : 0;
  }
  EXPECT_GT(static_cast<uint64_t>(moved), kCases / 75);
}

}  // namespace
}  // namespace n2d2::memory
