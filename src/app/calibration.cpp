#include "calibration.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/random.hpp"

#include "score.hpp"

namespace n2d2::app {

CalibrationSamples::CalibrationSamples(const build::Network& net, int64_t n) : net_(net) {
  using data::Partition;
  for (const Partition candidate : {Partition::Validation, Partition::Learn, Partition::Test}) {
    partition_ = candidate;
    if (net.data->size(candidate) > 0) break;
  }
  const int64_t size = net.data->size(partition_);
  if (size == 0) throw ConfigError("option -calib: the database has no samples to calibrate with");
  if (partition_ == Partition::Test)
    log::warn("calibration uses Test samples, there are no others: the score of the export is optimistic");
  Rng rng(net.seed, "calibration");
  positions_ = shuffled(size, rng);
  if (n >= 0) positions_.resize(static_cast<size_t>(std::min(n, size)));
  std::sort(positions_.begin(), positions_.end());
}

std::string CalibrationSamples::text() const {
  return fmt::format("{} of {} {} samples", positions_.size(), net_.data->size(partition_),
                     data::to_string(partition_));
}

bool CalibrationSamples::read(int64_t index, Tensor& batch) const {
  const size_t step = static_cast<size_t>(inference_batch(net_)), first = static_cast<size_t>(index) * step;
  if (first >= positions_.size()) return false;
  const std::span<const int64_t> part(positions_.data() + first, std::min(step, positions_.size() - first));
  std::vector<int> labels;
  net_.data->read(partition_, part, 0, batch, labels);
  return true;
}

}  // namespace n2d2::app
