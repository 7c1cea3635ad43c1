// What can be asked of post-training quantization?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "n2d2/tensor/quant_params.hpp"
#include "n2d2/tensor/widths.hpp"

namespace n2d2::quantize {

/// What the bytes of a picture are to the network, in every channel: real = step * (byte - zero_point), or
/// the same of 255 - byte.
struct ByteGrid {
  double step = 1, zero_point = 0;
};

/// Names in comments are those of the command line.
struct Options {
  /// The integers that hold weights and activations have so many bits, 2 to 16.
  int bits = 8;
  /// -nbbits and keys of layers: where weights or activations have fewer.
  Widths widths = {};
  /// -wt-clipping-mode, -act-clipping-mode: a name of weight_clipping_names(), of clipping_names().
  std::string weight_clipping = "None", activation_clipping = "MSE";
  /// -act-quantile-value: share of the magnitudes that Quantile leaves as they are, in (0, 1].
  double quantile = 0.9999;
  /// -act-rescaling-mode.
  RescaleMode rescaling = RescaleMode::FloatingPoint;
  /// Largest number of fractional bits of multipliers.
  int most_shift = kMostShift;
  /// -act-rescale-per-output: one weight scale an output channel, else one a layer.
  bool per_output = true;
  /// -quant-effort: 0 rounds weights to the nearest integers, 1 to those that find_rounding() finds, and lets
  /// layers make zero points.
  int effort = 1;
  /// -no-unsigned clears it.
  bool allow_unsigned = true;
  /// Bits of the graph outputs, in the order of the outputs: 16 or 32 for an output wider than `bits`. 0, or
  /// no entry: the output is quantized like every other value. InternalError when wide_chain() finds no chain
  /// for a wider output.
  std::vector<int> output_bits = {};
  /// Values may have a zero point: biases make up for it. Inputs have one for `bytes`, what layers make where
  /// it errs less and `effort` is above 0.
  bool zero_points = false;
  /// Zero points are integers of inputs, too, and no layer becomes a table for one.
  bool plain_zero_points = false;
  /// Grid of the bytes of the input pictures. The grid is used only where `zero_points` allows it and `bits`
  /// is 8.
  std::optional<ByteGrid> bytes = {};
};

/// ConfigError with everything that is out of range or not supported.
void check(const Options& options);

/// "Floating-point", "Fixed-point" (= "Fixed-point32") ...; ConfigError with the known words for anything
/// else.
RescaleMode rescale_mode(std::string_view text);

}  // namespace n2d2::quantize
