// Which batches does a rank read while all of them learn from the same ones?
#pragma once

#include <memory>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/training/sample_source.hpp"

namespace n2d2::training {

/// The batches of a list of samples, and of each of them the samples of this rank (cluster::share_of_batch).
/// One process alone reads all of them.
class BatchShares {
 public:
  /// `sample`: shape of one sample. The source outlives it.
  BatchShares(const SampleSource& source, data::Partition partition, std::vector<int64_t> order,
              int64_t batch_size, uint64_t epoch, const Shape& sample, const cluster::Cluster& cluster);

  /// Whether there is a further batch; then the samples of this rank, none if it has no part of it.
  bool next(data::Batch& batch);
  /// Samples that the last batch has on all ranks.
  int64_t whole() const { return whole_; }

 private:
  std::vector<int64_t> shares(int64_t first, int64_t last) const;

  const SampleSource& source_;
  const data::Partition partition_;
  const std::vector<int64_t> order_;
  const int64_t batch_size_;
  const uint64_t epoch_;
  const Shape sample_;
  const cluster::Cluster& cluster_;
  std::unique_ptr<BatchStream> stream_;  // of full batches, then of the last one
  int64_t taken_ = 0, whole_ = 0;
};

}  // namespace n2d2::training
