// Which samples does a rank compute?
#pragma once

#include <cstdint>
#include <vector>

namespace n2d2::cluster {

/// Samples of a shard: no block of samples that is computed as one reaches over its end (compute/stages.cpp).
inline constexpr int64_t kShard = 16;

/// Samples [first, last) of a batch.
struct Share {
  int64_t first = 0, last = 0;
  int64_t count() const { return last - first; }
  friend bool operator==(const Share&, const Share&) = default;
};

/// The samples of a batch that a rank computes: neighbouring shards, the first ranks have one more. Empty for
/// ranks beyond the number of shards.
Share share_of_batch(int64_t samples, int rank, int size);
/// Number of ranks that have samples of such a batch.
int ranks_of_batch(int64_t samples, int size);

/// Whole batches of `batch` positions, dealt out one after the other: those of a rank, in their order. The
/// last batch may be smaller.
std::vector<int64_t> dealt_batches(const std::vector<int64_t>& positions, int64_t batch, int rank, int size);

}  // namespace n2d2::cluster
