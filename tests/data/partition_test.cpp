#include "database/partition.hpp"

#include <set>

#include <gtest/gtest.h>

namespace n2d2::data {
namespace {

const auto kOneGroup = [](int64_t) { return size_t{0}; };

TEST(Partition, CountsFollowTheRoundingRules) {
  // nLearn half up, nValidation + nTest half down, nValidation half up of that.
  EXPECT_EQ(partition_counts(60000, 0.9, 0.1, 0), (PartitionCounts{54000, 6000, 0}));
  EXPECT_EQ(partition_counts(5, 0.5, 0.25, 0.25), (PartitionCounts{3, 1, 1}));
  EXPECT_EQ(partition_counts(5, 0.5, 0, 0.5), (PartitionCounts{3, 0, 2}));
  EXPECT_EQ(partition_counts(10, 0.5, 0.25, 0.25), (PartitionCounts{5, 3, 2}));
  EXPECT_EQ(partition_counts(3, 0.25, 0.25, 0.5), (PartitionCounts{1, 1, 1}));
  EXPECT_EQ(partition_counts(10, 0.2, 0.1, 0.1), (PartitionCounts{2, 1, 1}));
  EXPECT_EQ(partition_counts(0, 0.5, 0.25, 0.25), (PartitionCounts{0, 0, 0}));
}

TEST(Partition, CountsNeverExceedTheSamples) {
  for (int64_t n = 0; n < 40; ++n)
    for (int learn = 0; learn <= 10; ++learn)
      for (int validation = 0; learn + validation <= 10; ++validation) {
        const auto c = partition_counts(n, learn / 10.0, validation / 10.0, (10 - learn - validation) / 10.0);
        EXPECT_LE(c.learn + c.validation + c.test, n);
        EXPECT_GE(c.learn + c.validation + c.test, n - 1);
      }
}

TEST(Partition, DrawsInFileOrderWithoutRandomness) {
  std::array<std::vector<int64_t>, 3> lists;
  draw(draw_order(6, false, 1), kOneGroup, {{3, 1, 1}}, lists);
  EXPECT_EQ(lists[0], (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(lists[1], (std::vector<int64_t>{3}));
  EXPECT_EQ(lists[2], (std::vector<int64_t>{4}));
}

TEST(Partition, DrawsEachSampleOnceAndAsTheSeedSays) {
  const auto drawn = [](uint64_t seed) {
    std::array<std::vector<int64_t>, 3> lists;
    draw(draw_order(100, true, seed), kOneGroup, {{50, 20, 30}}, lists);
    return lists;
  };
  const auto lists = drawn(1);
  std::set<int64_t> all;
  for (const auto& list : lists) all.insert(list.begin(), list.end());
  EXPECT_EQ(all.size(), 100U);
  EXPECT_EQ(lists[0].size(), 50U);
  EXPECT_EQ(lists, drawn(1));
  EXPECT_NE(lists, drawn(2));
}

TEST(Partition, GroupsHaveTheirOwnCounts) {
  std::array<std::vector<int64_t>, 3> lists;
  draw(
      draw_order(10, false, 1), [](int64_t id) { return static_cast<size_t>(id % 2); },
      {{1, 0, 0}, {0, 0, 2}}, lists);
  EXPECT_EQ(lists[0], (std::vector<int64_t>{0}));
  EXPECT_EQ(lists[2], (std::vector<int64_t>{1, 3}));
}

}  // namespace
}  // namespace n2d2::data
