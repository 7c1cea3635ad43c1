// Which samples measure the ranges of an integer export?
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/data/batch_loader.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/quantize/sample_check.hpp"
#include "n2d2/quantize/stored_calibration.hpp"

namespace n2d2::app {

/// min(n, available) samples of CalibrationPath, else of Validation, else Learn, else Test with a warning,
/// drawn without replacement by the seed; n < 0: all. ConfigError when there is none.
class CalibrationSamples {
 public:
  /// Whether the warning is given; those who read samples again need not repeat it.
  enum class Say { Warnings, Nothing };
  /// `cluster`: whose batches read() deals out; everything else is about all samples.
  CalibrationSamples(const loader::Network& net, int64_t n, Say say = Say::Warnings,
                     const cluster::Cluster& cluster = cluster::alone());
  /// "1000 of 5000 Validation samples"
  std::string text() const;
  /// Which samples they are, as 16 digits: partition, positions and the number of samples there.
  std::string fingerprint() const;
  /// Names and classes of these samples, for findings about them.
  quantize::SampleOrigin origin() const;
  /// At most `most` samples of the same partition that are none of these; empty: there are no others.
  data::Batch others(int64_t most) const;
  int64_t size() const { return static_cast<int64_t>(positions_.size()); }
  /// "Validation", or "CalibrationPath".
  std::string part() const;
  /// The part of the database that they are from; none: CalibrationPath.
  std::optional<data::Partition> partition() const;
  /// As quantize::BatchSource; the next batch is prepared meanwhile.
  bool read(int64_t index, Tensor& batch);

 private:
  void find_partition(Say say);
  std::optional<std::string> only_class() const;

  const loader::Network& net_;
  const data::StimuliProvider& provider_;
  const cluster::Cluster& cluster_;
  data::Partition partition_ = data::Partition::Test;
  std::vector<int64_t> positions_, others_;
  std::unique_ptr<data::BatchLoader> loader_;
  data::Batch batch_;
  int64_t next_ = 0;
};

/// Where a calibration is kept: the file in an export folder, the one beside the weights ("" where they have
/// no folder), and whether it is taken from there (-calib-reload).
struct CalibrationFile {
  std::filesystem::path path, beside_weights;
  bool reload = false;
};

/// Ranges of all values over `n` samples as above; with equalization after equalize_channels() by the same
/// samples. Says which samples, and how fast the network ran. With `file.reload` they are read instead, of
/// the first file that there is, and the graph equalized by what was read: a warning where there is none,
/// ConfigError for one that was measured with anything else. `accuracy`: what is asked for (AccuracyGoal).
/// The ranks of a cluster share the samples; where the first has read what was measured before, the others
/// get nothing.
quantize::StoredCalibration calibrated(loader::Network& net, int64_t n, const quantize::Options& options,
                                       pipeline::Equalization equalization, const CalibrationFile& file = {},
                                       const std::string& accuracy = {},
                                       const cluster::Cluster& cluster = cluster::alone());

/// After an export, with `file.reload`: what the export keeps is kept beside the weights, too, for the next
/// one. Says where; a warning why not.
void keep_beside_weights(const CalibrationFile& file);

}  // namespace n2d2::app
