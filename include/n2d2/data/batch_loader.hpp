// How is the next batch prepared while the current one is computed? One thread ahead, same numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "n2d2/data/stimuli_provider.hpp"

namespace n2d2::data {

struct Batch {
  Tensor data;                   ///< N,C,H,W f32
  std::vector<int> labels;       ///< label ids, -1 for none: N, or N,H,W with CompositeStimuli
  std::vector<int64_t> indices;  ///< positions in the partition
};

/// Reads the positions `order` of a partition in batches of `batch_size` (the last one may be smaller). What
/// next() returns equals StimuliProvider::read() of the same positions; errors come out of the next() they
/// belong to. The provider must outlive the loader.
class BatchLoader {
 public:
  BatchLoader(const StimuliProvider& provider, Partition partition, std::vector<int64_t> order,
              int64_t batch_size, uint64_t epoch);
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch into `batch` (whose memory is used again); false at the end.
  bool next(Batch& batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 0, 1, ..., count-1: every position in order.
std::vector<int64_t> in_order(int64_t count);
/// A random order that is a function of (seed, epoch).
std::vector<int64_t> shuffled_order(int64_t count, uint64_t seed, uint64_t epoch);

}  // namespace n2d2::data
