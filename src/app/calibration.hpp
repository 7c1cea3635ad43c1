// Which samples measure the ranges of an integer export?
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "n2d2/data/batch_loader.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/quantize/calibrate.hpp"

namespace n2d2::app {

/// min(n, available) samples of CalibrationPath, else of Validation, else Learn, else Test with a warning, drawn without
/// replacement by the seed; n < 0: all (spec quantization 2). ConfigError when there is none.
class CalibrationSamples {
 public:
  CalibrationSamples(const loader::Network& net, int64_t n);
  /// "1000 of 5000 Validation samples"
  std::string text() const;
  /// As quantize::BatchSource; the next batch is prepared meanwhile.
  bool read(int64_t index, Tensor& batch);

 private:
  void find_partition();

  const loader::Network& net_;
  const data::StimuliProvider& provider_;
  data::Partition partition_ = data::Partition::Test;
  std::vector<int64_t> positions_;
  std::unique_ptr<data::BatchLoader> loader_;
  data::Batch batch_;
  int64_t next_ = 0;
};

/// Whether channels are scaled by what they reach before they are measured (`-no-cle` switches it off).
enum class Equalization { Off, On };

/// Ranges of all values over `n` samples as above; with equalization after equalize_channels() by the same samples. Says
/// which samples, and how fast the network ran.
quantize::Ranges measure_ranges(loader::Network& net, int64_t n, const quantize::Options& options,
                                Equalization equalization);

}  // namespace n2d2::app
