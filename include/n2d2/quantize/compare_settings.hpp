// How far are the outputs of a network off in each of several quantizations of it?
#pragma once

#include <span>
#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/options.hpp"
#include "n2d2/quantize/round_weights.hpp"

namespace n2d2::quantize {

/// One way to quantize a network. What it points to must outlive it.
struct Setting {
  std::string name;                    ///< "plain maxima", for messages
  const graph::Graph* floats;          ///< the network, equalized or not
  const Ranges* ranges;                ///< of its values
  const Rounding* rounding = nullptr;  ///< none: weights become the nearest integers
  Options options = {};
};

/// Returns the first of the samples by which find_rounding() judges: at most 64, and 128 MiB. N,C,H,W; empty
/// where there are fewer than 8 samples.
Tensor held_out_samples(const BatchSource& source, int64_t samples);

/// Signal against difference of outputs in dB, at most 200, the mean over the outputs: of all samples
/// together, and of each.
struct OutputSnr {
  double all = 0;
  std::vector<double> of_samples;
};

/// How near the outputs of each setting are to those of `floats`, the network before it was equalized. The
/// integers are simulated in floats.
std::vector<OutputSnr> output_snr(const graph::Graph& floats, std::span<const Setting> settings,
                                  const Tensor& samples, const compute::ExecutorOptions& executor);

}  // namespace n2d2::quantize
