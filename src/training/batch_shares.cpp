#include "batch_shares.hpp"

#include <algorithm>
#include <utility>

#include "n2d2/cluster/shards.hpp"

namespace n2d2::training {

BatchShares::BatchShares(const SampleSource& source, data::Partition partition, std::vector<int64_t> order,
                         int64_t batch_size, uint64_t epoch, const Shape& sample,
                         const cluster::Cluster& cluster)
    : source_(source),
      partition_(partition),
      order_(std::move(order)),
      batch_size_(batch_size),
      epoch_(epoch),
      sample_(sample),
      cluster_(cluster) {
  if (cluster_.is_alone()) stream_ = source_.open(partition_, order_, batch_size_, epoch_);
}

/// What this rank has of the batches of order_[first, last), of which all but the last have their full size.
std::vector<int64_t> BatchShares::shares(int64_t first, int64_t last) const {
  std::vector<int64_t> out;
  for (; first < last; first += batch_size_) {
    const auto share =
        cluster::share_of_batch(std::min(batch_size_, last - first), cluster_.rank(), cluster_.size());
    out.insert(out.end(), order_.begin() + first + share.first, order_.begin() + first + share.last);
  }
  return out;
}

bool BatchShares::next(data::Batch& batch) {
  const auto size = static_cast<int64_t>(order_.size());
  whole_ = std::min(batch_size_, size - taken_);
  if (whole_ == 0) return false;
  const bool is_full = whole_ == batch_size_;
  const int64_t own = cluster::share_of_batch(whole_, cluster_.rank(), cluster_.size()).count();
  if (!cluster_.is_alone() && own > 0 && (taken_ == 0 || !is_full))
    stream_ =
        source_.open(partition_, is_full ? shares(0, size / batch_size_ * batch_size_) : shares(taken_, size),
                     own, epoch_);
  taken_ += whole_;
  if (own == 0) {
    batch.data = Tensor(sample_.with_batch(0));
    batch.labels.clear();
    batch.indices.clear();
    return true;
  }
  N2D2_CHECK(stream_->next(batch) && batch.data.shape().n() == own, "a batch of {} samples on rank {}",
             batch.data.shape().text(), cluster_.rank());
  return true;
}

}  // namespace n2d2::training
