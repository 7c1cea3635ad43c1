// What did quantization decide, and where is it tight? The content of quantization.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "n2d2/quantize/options.hpp"

namespace n2d2::quantize {

struct LayerReport {
  std::string name, type;
  /// The members from `bits` to `zero_point` describe the output value of the layer.
  int bits = 8;
  bool is_signed = true;
  double threshold = 0, min = 0, max = 0, mean = 0, stddev = 0;
  float scale = 0;
  double zero_point = 0;
  /// Mode that gave the threshold ("MSE", "None"), or "input" where integers are only moved, or "join",
  /// "pixels" (the bytes of pictures), or "sums" where an output is wide enough for them.
  std::string clipping;
  /// Bits of the weights; 0: there are none.
  int weight_bits = 0;
  /// One for each output channel, one for the layer, or none.
  std::vector<float> weight_scales;
  /// Weights that the weight threshold clipped.
  int64_t clipped_weights = 0;
  /// Largest change of a bias that makes up for rounded weights, in real units.
  double bias_correction = 0;
  /// Largest accumulator that can occur (max over outputs of sum |W| max |x| + |b|; in a sum of branches the
  /// products with their multipliers) and the bits that are left above it in the accumulator.
  double accumulator_bound = 0, accumulator_headroom_bits = 0;
  int accumulator_bits = 0;
  /// Output channels whose weights are all zero; those whose scale was doubled so that the accumulator fits.
  std::vector<int64_t> dead_outputs, doubled_outputs;
  std::vector<std::string> notes;
};

struct QuantReport {
  Options options;
  int64_t samples = 0;
  /// Network inputs first, then layers in schedule order.
  std::vector<LayerReport> layers;
};

/// Text of quantization.json: an object with "bits", "samples", the modes, and the list "layers".
std::string to_json(const QuantReport& report);

}  // namespace n2d2::quantize
