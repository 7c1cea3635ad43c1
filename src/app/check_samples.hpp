// Is what an integer export computes still what the network should, on samples that are there?
#pragma once

#include <optional>

#include "n2d2/loader/network.hpp"
#include "n2d2/quantize/sample_check.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// One check after calibration: a few of the calibration samples in floats and in integers, and the score of
/// the float network on at most 100 Test samples.
class CalibrationCheck {
 public:
  /// Runs the float graph of the network, right before it becomes integers. Does nothing where there is no
  /// sample.
  CalibrationCheck(const loader::Network& net, const Options& options);

  /// Runs the same samples in the integers that the graph has now. Says the figures on one line, warns of
  /// every finding of quantize::SampleCheck, check_samples() and check_features(), and of a score of the
  /// floats that is about chance; returns all of it for the report. `-strict`: ExportError with the findings.
  /// `was_quantized`: the model rounds its activations, which the floats of the graph do not any more.
  quantize::SampleReport judge(const loader::Network& net, const quantize::Ranges& ranges, bool was_quantized,
                               bool strict) const;

 private:
  std::optional<quantize::SampleCheck> samples_;
  quantize::SampleOrigin origin_;
  std::vector<Diagnostic> findings_;  // of floats and samples
};

}  // namespace n2d2::app
