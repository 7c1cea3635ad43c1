#include "n2d2/cluster/shards.hpp"

#include <gtest/gtest.h>

namespace n2d2::cluster {
namespace {

TEST(Shards, EachSampleOfABatchHasOneRank) {
  for (const int64_t samples : {1, 15, 16, 17, 64, 100, 1000})
    for (int size = 1; size <= 8; ++size) {
      int64_t next = 0, most = 0, least = samples;
      for (int rank = 0; rank < size; ++rank) {
        const Share share = share_of_batch(samples, rank, size);
        EXPECT_EQ(share.first, next) << samples << " samples, rank " << rank << " of " << size;
        EXPECT_TRUE(share.last == samples || share.last % kShard == 0);
        EXPECT_EQ(share.count() > 0, rank < ranks_of_batch(samples, size));
        next = share.last;
        most = std::max(most, share.count());
        least = std::min(least, share.count());
      }
      EXPECT_EQ(next, samples);
      EXPECT_LE(most - least, 2 * kShard - 1);
    }
}

TEST(Shards, TheFirstRanksHaveOneMore) {
  EXPECT_EQ(share_of_batch(64, 0, 3), (Share{0, 32}));
  EXPECT_EQ(share_of_batch(64, 1, 3), (Share{32, 48}));
  EXPECT_EQ(share_of_batch(64, 2, 3), (Share{48, 64}));
  EXPECT_EQ(share_of_batch(20, 1, 2), (Share{16, 20}));
  EXPECT_EQ(share_of_batch(16, 1, 2).count(), 0);
}

TEST(Shards, BatchesAreDealtWhole) {
  const std::vector<int64_t> positions{5, 4, 9, 1, 0, 7, 3};
  EXPECT_EQ(dealt_batches(positions, 2, 0, 1), positions);
  EXPECT_EQ(dealt_batches(positions, 2, 0, 3), (std::vector<int64_t>{5, 4, 3}));
  EXPECT_EQ(dealt_batches(positions, 2, 1, 3), (std::vector<int64_t>{9, 1}));
  EXPECT_EQ(dealt_batches(positions, 2, 2, 3), (std::vector<int64_t>{0, 7}));
  EXPECT_TRUE(dealt_batches(positions, 8, 1, 2).empty());
  EXPECT_TRUE(dealt_batches({}, 8, 0, 2).empty());
}

}  // namespace
}  // namespace n2d2::cluster
