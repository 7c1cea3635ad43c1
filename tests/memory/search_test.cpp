#include <gtest/gtest.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "problems.hpp"

namespace n2d2::memory {
namespace {

Bytes exact(const Problem& problem) {
  const Plan plan = solve(problem, "OptimizeExact");
  EXPECT_TRUE(validate(problem, plan).empty());
  return plan.peaks[0];
}

/// The lowest peak by trying every order of placement with first fit: one of them is optimal.
Bytes by_all_orders(const Problem& problem) {
  std::vector<size_t> order(problem.buffers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  Bytes best = -1;
  do {
    std::vector<Bytes> at(order.size(), -1);
    Bytes peak = 0;
    for (const size_t i : order) {
      const Buffer& b = problem.buffers[i];
      Bytes offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t j = 0; j < at.size(); ++j) {
          const Buffer& o = problem.buffers[j];
          if (at[j] < 0 || !o.life.overlaps(b.life) || at[j] >= offset + b.size() ||
              offset >= at[j] + o.size())
            continue;
          offset = (at[j] + o.size() + problem.alignment - 1) / problem.alignment * problem.alignment;
          moved = true;
        }
      }
      at[i] = offset;
      peak = std::max(peak, offset + b.size());
    }
    if (best < 0 || peak < best) best = peak;
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Search, MeetsTheBoundWhereFirstFitDoesNot) {
  const Problem p = blocks({{4, 0, 3}, {4, 3, 9}, {4, 0, 9}, {4, 9, 21}, {8, 18, 21}});  // 12 are enough
  EXPECT_EQ(lower_bound(p), 12);
  EXPECT_EQ(exact(p), 12);
}

TEST(Search, FindsTheOptimumOfEverySmallProblem) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng(seed, "search");
    std::vector<Block0> list;
    const size_t count = 3 + rng.below(4);
    for (size_t i = 0; i < count; ++i) {
      const int first = static_cast<int>(rng.below(6));
      list.push_back(
          {static_cast<Bytes>(1 + rng.below(9)), first, first + 1 + static_cast<int>(rng.below(4))});
    }
    Problem p = blocks(list);
    p.alignment = static_cast<Bytes>(1 + rng.below(3));
    EXPECT_EQ(exact(p), by_all_orders(p)) << "seed " << seed;
  }
}

TEST(Search, GivesTheSamePlanEveryTime) {
  Rng rng(7, "search repeat");
  const Problem p = random_network(rng);
  EXPECT_EQ(solve(p, {.search_nodes = 500}), solve(p, {.search_nodes = 500}));
}

TEST(Search, StopsAtItsLimitOfNodes) {
  Rng rng(3, "search limit");
  std::vector<Block0> list;
  for (int i = 0; i < 26; ++i) {
    const int first = static_cast<int>(rng.below(40));
    list.push_back(
        {static_cast<Bytes>(100 + rng.below(1000)), first, first + 5 + static_cast<int>(rng.below(20))});
  }
  const Problem p = blocks(list);
  const Plan few = solve(p, {.search_nodes = 10}), none = solve(p, {.search_nodes = 0});
  EXPECT_LE(few.peaks[0], none.peaks[0]);
  EXPECT_TRUE(validate(p, few).empty());
}

}  // namespace
}  // namespace n2d2::memory
