// Which samples measure the ranges of an integer export?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "n2d2/build/network.hpp"

namespace n2d2::app {

/// min(n, available) samples of Validation, else Learn, else Test with a warning, drawn without replacement by
/// the seed; n < 0: all (spec quantization 2). ConfigError when there is none.
class CalibrationSamples {
 public:
  CalibrationSamples(const build::Network& net, int64_t n);
  /// "1000 of 5000 Validation samples"
  std::string text() const;
  /// As quantize::BatchSource.
  bool read(int64_t index, Tensor& batch) const;

 private:
  const build::Network& net_;
  data::Partition partition_ = data::Partition::Validation;
  std::vector<int64_t> positions_;
};

}  // namespace n2d2::app
