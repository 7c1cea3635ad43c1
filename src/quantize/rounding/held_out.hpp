// Which calibration samples round weights, and which judge what came of it?
#pragma once

#include "n2d2/tensor/tensor.hpp"

namespace n2d2::quantize {

/// The samples that are run: at most 512, evenly spread. Every fourth of them is held out.
struct SampleChoice {
  /// A quarter of fewer samples is too few to judge by.
  static constexpr int64_t kFewest = 8;

  int64_t every = 1;  ///< one in so many is run
  int64_t count = 0;  ///< samples that are run

  explicit SampleChoice(int64_t samples)
      : every((samples + kMost - 1) / kMost), count((samples + every - 1) / every) {}

  /// Whether a sample judges, by its place among those that are run.
  static bool is_held_out(int64_t place) { return place % kHeldOut == kHeldOut - 1; }

  /// Returns the samples of a batch that are run, at most `most`; empty: none. `first`: samples before the
  /// batch.
  Tensor of(const Tensor& batch, int64_t first, int64_t most) const;

 private:
  static constexpr int64_t kMost = 512, kHeldOut = 4;
};

}  // namespace n2d2::quantize
