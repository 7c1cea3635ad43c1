// Where do batches come from? An interface the trainer reads, and the one that reads a stimuli provider.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "n2d2/data/batch_loader.hpp"
#include "n2d2/data/stimuli_provider.hpp"

namespace n2d2::training {

/// A list of samples being read, batch after batch.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  /// The next batch; false at the end.
  virtual bool next(data::Batch& batch) = 0;
};

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// Samples of a partition; positions run from 0 to size - 1.
  virtual int64_t size(data::Partition partition) const = 0;
  /// The samples at these positions, in this order, batch_size at a time (the last batch may be smaller).
  /// `epoch` keys random transformations. The source must outlive the stream.
  virtual std::unique_ptr<BatchStream> open(data::Partition partition, std::vector<int64_t> order,
                                            int64_t batch_size, uint64_t epoch) const = 0;
};

/// Reads a provider, some batches ahead. The provider must outlive it.
class ProviderSource final : public SampleSource {
 public:
  explicit ProviderSource(const data::StimuliProvider& provider) : provider_(&provider) {}
  int64_t size(data::Partition partition) const override { return provider_->size(partition); }
  std::unique_ptr<BatchStream> open(data::Partition partition, std::vector<int64_t> order, int64_t batch_size,
                                    uint64_t epoch) const override;

 private:
  const data::StimuliProvider* provider_;
};

}  // namespace n2d2::training
