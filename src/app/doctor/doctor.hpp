// What do the integers of an export get wrong, and because of which layers? (-doctor)
#pragma once

#include "n2d2/export/stimulus.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/quantize/report.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"
#include "doctor_report.hpp"

namespace n2d2::app {

/// Samples that a diagnosis takes a minute or two for, 16 to 100.
int64_t samples_to_examine(const graph::Graph& floats, const graph::Graph& integers);
/// The first samples of a batch N,C,H,W f32, at most so many.
Tensor first_of(const Tensor& batch, int64_t most);

/// Examines one export on samples that did not calibrate it, or, where there are none, on some that did not
/// round its weights.
class Doctor {
 public:
  /// The graph right before its weights were rounded, its integers before Stage::Layout, and what was decided
  /// about them.
  Doctor(const loader::Network& net, const Options& options, graph::Graph floats, graph::Graph integers,
         quantize::QuantReport decided)
      : net_(net),
        options_(options),
        floats_(std::move(floats)),
        integers_(std::move(integers)),
        decided_(std::move(decided)) {}

  /// Prints what was found; none where there are no samples. Figures of the whole are those of `build`
  /// where it runs in process.
  std::optional<DoctorReport> run(const targets::Build& build) const;

 private:
  const loader::Network& net_;
  const Options& options_;
  graph::Graph floats_, integers_;
  quantize::QuantReport decided_;
};

}  // namespace n2d2::app
