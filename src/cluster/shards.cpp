#include "n2d2/cluster/shards.hpp"

#include <algorithm>

namespace n2d2::cluster {

namespace {

int64_t shards_of(int64_t samples) {
  return (samples + kShard - 1) / kShard;
}

}  // namespace

Share share_of_batch(int64_t samples, int rank, int size) {
  const int64_t shards = shards_of(samples), each = shards / size, more = shards % size;
  const int64_t first = rank * each + std::min<int64_t>(rank, more);
  const int64_t last = first + each + (rank < more ? 1 : 0);
  return {std::min(first * kShard, samples), std::min(last * kShard, samples)};
}

int ranks_of_batch(int64_t samples, int size) {
  return static_cast<int>(std::min<int64_t>(shards_of(samples), size));
}

std::vector<int64_t> dealt_batches(const std::vector<int64_t>& positions, int64_t batch, int rank, int size) {
  std::vector<int64_t> out;
  const auto count = static_cast<int64_t>(positions.size());
  for (int64_t first = rank * batch; first < count; first += size * batch)
    out.insert(out.end(), positions.begin() + first, positions.begin() + std::min(first + batch, count));
  return out;
}

}  // namespace n2d2::cluster
