#include "calibration.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/quantize/equalize_channels.hpp"

#include "score.hpp"

namespace n2d2::app {

CalibrationSamples::CalibrationSamples(const loader::Network& net, int64_t n)
    : net_(net), provider_(net.calibration ? *net.calibration : *net.data) {
  if (!net.calibration) find_partition();
  const int64_t size = provider_.size(partition_);
  Rng rng(net.seed, "calibration");
  positions_ = shuffled(size, rng);
  if (n >= 0) positions_.resize(static_cast<size_t>(std::min(n, size)));
  std::sort(positions_.begin(), positions_.end());
}

void CalibrationSamples::find_partition() {
  using data::Partition;
  for (const Partition candidate : {Partition::Validation, Partition::Learn, Partition::Test}) {
    partition_ = candidate;
    if (provider_.size(candidate) > 0) break;
  }
  if (provider_.size(partition_) == 0)
    throw ConfigError("option -calib: the database has no samples to calibrate with");
  if (partition_ == Partition::Test)
    log::warn("calibration uses Test samples, there are no others: the score of the export is optimistic");
}

std::string CalibrationSamples::text() const {
  return fmt::format("{} of {} {} samples", positions_.size(), provider_.size(partition_),
                     net_.calibration ? "CalibrationPath" : data::to_string(partition_));
}

bool CalibrationSamples::read(int64_t index, Tensor& batch) {
  if (index == 0) {
    loader_.reset();
    loader_ =
        std::make_unique<data::BatchLoader>(provider_, partition_, positions_, inference_batch(net_), 0);
    next_ = 0;
  }
  N2D2_CHECK(loader_ && index == next_, "calibration batch {} after {}", index, next_ - 1);
  ++next_;
  std::swap(batch, batch_.data);  // its memory goes to the loader
  const bool read = loader_->next(batch_);
  std::swap(batch, batch_.data);
  return read;
}

namespace {

/// Gives small channels more of the integers of their values, by what they are on the samples.
void equalize(loader::Network& net, const quantize::BatchSource& source, const quantize::Options& options) {
  compute::Executor executor(net.graph, inference_options(net));
  const quantize::Ranges ranges = quantize::measure(net.graph, executor, source);
  const int values = quantize::equalize_channels(net.graph, ranges, options);
  log::info("Equalization: channels of {} of {} values scaled by what they reach", values,
            ranges.values.size());
}

}  // namespace

quantize::Ranges measure_ranges(loader::Network& net, int64_t n, const quantize::Options& options,
                                Equalization equalization) {
  CalibrationSamples samples(net, n);
  log::info("Calibration: {}", samples.text());
  (net.calibration ? *net.calibration : *net.data).stop_keeping();
  const auto source = [&](int64_t index, Tensor& batch) { return samples.read(index, batch); };
  if (equalization == Equalization::On) equalize(net, source, options);
  compute::Executor executor(net.graph, inference_options(net));
  quantize::Ranges ranges = quantize::calibrate(net.graph, executor, source, options);
  log::info("{}", speed_text(executor.forward_time(), inference_batch(net)));
  return ranges;
}

}  // namespace n2d2::app
