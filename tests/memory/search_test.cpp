#include "place/search.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"

#include "place/search_in_time.hpp"

namespace n2d2::memory {
namespace {

constexpr Bytes kHigh = 1'000'000;  // a peak anything beats

bool overlap_free(const std::vector<Block>& blocks, const std::vector<Bytes>& at, Bytes alignment) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (at[i] < 0 || at[i] % alignment != 0) return false;
    for (size_t j = 0; j < i; ++j)
      if (blocks[i].life.first < blocks[j].life.end && blocks[j].life.first < blocks[i].life.end &&
          at[i] < at[j] + blocks[j].size && at[j] < at[i] + blocks[i].size)
        return false;
  }
  return true;
}

Bytes peak_at(const std::vector<Block>& blocks, const std::vector<Bytes>& at) {
  Bytes peak = 0;
  for (size_t i = 0; i < blocks.size(); ++i) peak = std::max(peak, at[i] + blocks[i].size);
  return peak;
}

/// Peak of a complete search; checks its plan.
Bytes lowest(const std::vector<Block>& blocks, Bytes alignment = 1, int64_t* placed = nullptr) {
  const auto at = search(blocks, alignment, kHigh, 0, 0, placed);
  if (!at) return -1;
  EXPECT_TRUE(overlap_free(blocks, *at, alignment));
  return peak_at(blocks, *at);
}

/// The lowest peak by trying every order of placement with first fit: one of them is optimal.
Bytes by_all_orders(const std::vector<Block>& blocks, Bytes alignment) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Bytes best = kHigh;
  do {
    std::vector<Bytes> at(blocks.size());
    std::vector<size_t> placed;
    for (const size_t b : order) {
      const auto clashes = [&](size_t o) {
        return blocks[o].life.first < blocks[b].life.end && blocks[b].life.first < blocks[o].life.end &&
               at[o] < at[b] + blocks[b].size && at[b] < at[o] + blocks[o].size;
      };
      while (std::any_of(placed.begin(), placed.end(), clashes)) at[b] += alignment;
      placed.push_back(b);
    }
    best = std::min(best, peak_at(blocks, at));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

std::vector<Block> random_blocks(Rng& rng, size_t count, int steps, int longest, Bytes largest) {
  std::vector<Block> blocks;
  for (size_t i = 0; i < count; ++i) {
    const auto first = static_cast<int>(rng.below(static_cast<uint64_t>(steps)));
    const auto life = static_cast<int>(1 + rng.below(static_cast<uint64_t>(longest)));
    blocks.push_back(
        {static_cast<Bytes>(1 + rng.below(static_cast<uint64_t>(largest))), {first, first + life}, 0});
  }
  return blocks;
}

/// Needs 8 bytes although at most 7 are alive at once.
std::vector<Block> above_its_bound(int start) {
  std::vector<Block> blocks{{3, {3, 5}, 0}, {3, {4, 7}, 0}, {3, {6, 8}, 0}, {1, {4, 6}, 0},
                            {1, {5, 7}, 0}, {4, {7, 8}, 0}, {4, {2, 4}, 0}};
  for (Block& block : blocks) {
    block.life.first += start;
    block.life.end += start;
  }
  return blocks;
}

/// Fills 4096 bytes over 64 steps without a gap: a rectangle cut at random into `count` blocks.
std::vector<Block> cut_rectangle(Rng& rng, size_t count) {
  std::vector<Block> blocks{{4096, {0, 64}, 0}};
  while (blocks.size() < count) {
    Block& block = blocks[rng.below(blocks.size())];
    Block rest = block;
    if (rng.chance(0.5) && length(block.life) > 1) {
      rest.life.first += 1 + static_cast<int>(rng.below(static_cast<uint64_t>(length(block.life) - 1)));
      block.life.end = rest.life.first;
    } else if (block.size > 1) {
      block.size = 1 + static_cast<Bytes>(rng.below(static_cast<uint64_t>(block.size - 1)));
      rest.size -= block.size;
    } else {
      continue;
    }
    blocks.push_back(rest);
  }
  return blocks;
}

TEST(Search, FindsTheOptimumOfEverySmallProblem) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed, "search");
    const auto blocks = random_blocks(rng, 2 + rng.below(5), 6, 4, 9);
    const auto alignment = static_cast<Bytes>(1 + rng.below(4));
    EXPECT_EQ(lowest(blocks, alignment), by_all_orders(blocks, alignment)) << "seed " << seed;
  }
}

TEST(Search, FindsTheOptimumAboveTheBound) {
  const auto blocks = above_its_bound(0);
  ASSERT_EQ(bound_of(blocks, 1), 7);
  EXPECT_EQ(lowest(blocks), 8);
  EXPECT_EQ(by_all_orders(blocks, 1), 8);
}

TEST(Search, HasNothingToSayAboutAPeakThatCannotBeBeaten) {
  EXPECT_FALSE(search(above_its_bound(0), 1, 8, 0));
  EXPECT_TRUE(search(above_its_bound(0), 1, 9, 0));
  EXPECT_FALSE(search({}, 1, 1, 0));
}

TEST(Search, LetsOnlyTheTopmostBlockEndUnaligned) {
  const std::vector<Block> blocks{{9, {0, 2}, 0}, {10, {0, 1}, 0}, {3, {1, 2}, 0}};
  EXPECT_EQ(lowest(blocks, 8), by_all_orders(blocks, 8));
  EXPECT_EQ(lowest(blocks, 8), 25);  // 10 rounded up to 16 below 9
}

TEST(Search, PlacesBlocksWithoutBytes) {
  EXPECT_EQ(lowest({{0, {0, 3}, 0}, {5, {0, 2}, 0}, {0, {1, 3}, 0}, {7, {1, 3}, 0}}), 12);
  EXPECT_FALSE(search(std::vector<Block>{{0, {0, 1}, 0}}, 1, 0, 0));
}

TEST(Search, MeetsTheBoundWhereFirstFitDoesNot) {
  int missed = 0;  // by first fit, largest first
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Rng rng(seed, "search rectangle");
    const auto blocks = cut_rectangle(rng, 80);
    const auto order = sorted_blocks(blocks, [](const Block& a, const Block& b) { return a.size > b.size; });
    if (peak_of(blocks, first_fit(blocks, order, 1)) > 4096) ++missed;
    const auto at = search(blocks, 1, kHigh, 200'000);
    ASSERT_TRUE(at) << "seed " << seed;
    EXPECT_TRUE(overlap_free(blocks, *at, 1));
    EXPECT_EQ(peak_at(blocks, *at), 4096) << "seed " << seed;
  }
  EXPECT_GE(missed, 5);
}

TEST(Search, GivesTheSamePlanEveryTime) {
  Rng rng(7, "search repeat");
  const auto blocks = cut_rectangle(rng, 150);
  int64_t first_count = 0, second_count = 0;
  const auto first = search(blocks, 1, kHigh, 20'000, 0, &first_count);
  const auto second = search(blocks, 1, kHigh, 20'000, 0, &second_count);
  ASSERT_TRUE(first);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first_count, second_count);
}

TEST(Search, StopsAtItsLimitOfNodes) {
  Rng rng(3, "search limit");
  const auto blocks = cut_rectangle(rng, 150);
  for (const int64_t nodes : {1, 10, 5000}) {
    int64_t placed = 0;
    const auto at = search(blocks, 1, kHigh, nodes, 0, &placed);
    EXPECT_LE(placed, nodes);
    if (nodes < 150) {
      EXPECT_FALSE(at);
      EXPECT_EQ(placed, nodes);
    }
  }
}

TEST(Search, StopsAtTheTarget) {
  Rng rng(5, "search target");
  const auto blocks = cut_rectangle(rng, 150);
  int64_t placed = 0;
  const auto at = search(blocks, 1, kHigh, 200'000, 5000, &placed);
  ASSERT_TRUE(at);
  EXPECT_LE(peak_at(blocks, *at), 5000);
  int64_t for_less = 0;
  (void)search(blocks, 1, kHigh, 200'000, 0, &for_less);
  EXPECT_LT(placed, for_less);
  EXPECT_FALSE(search(blocks, 1, 5000, 200'000, 5000));  // the peak known is low enough
}

TEST(Search, TriesOnlyOneOfTwins) {
  auto blocks = above_its_bound(0);
  for (int i = 0; i < 8; ++i) blocks.push_back({2, {0, 9}, 0});  // 8! orders of the same
  int64_t placed = 0;
  EXPECT_EQ(lowest(blocks, 1, &placed), 24);
  EXPECT_LT(placed, 5000);
}

TEST(SearchInTime, TakesThePlaceNearestToAnEndFirst) {
  Packing packing;
  packing.blocks = {{4, {0, 2}}, {3, {1, 3}}, {6, {2, 4}}};
  TimeSearch search{{}, 0, 3};
  const auto found =
      search_in_time(packing, 10, search);  // the second on top of the first leaves no six bytes
  ASSERT_TRUE(found);
  EXPECT_EQ(found->offsets, (std::vector<Bytes>{0, 7, 0}));
  EXPECT_EQ(search.nodes, 3);
}

TEST(Search, SolvesDisconnectedPartsOneByOne) {
  std::vector<Block> blocks;
  for (int part = 0; part < 12; ++part)
    for (const Block& block : above_its_bound(10 * part)) blocks.push_back(block);
  int64_t placed = 0;
  EXPECT_EQ(lowest(blocks, 1, &placed), 8);
  EXPECT_LT(placed, 1000);
}

}  // namespace
}  // namespace n2d2::memory
