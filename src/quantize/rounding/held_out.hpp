// Which calibration samples round weights, and which judge what came of it?
#pragma once

#include <functional>

#include "n2d2/quantize/calibrate.hpp"

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

/// Which of the samples that are run are kept, by their place.
using WantsSample = std::function<bool(int64_t place)>;

/// Reads the samples of a source that are run and wanted, N,C,H,W: the first `most`, and no more once they
/// take `most_bytes`. Empty where there is none.
Tensor read_samples(const SampleChoice& choice, const BatchSource& source, const WantsSample& wants,
                    int64_t most, int64_t most_bytes);

}  // namespace n2d2::quantize
