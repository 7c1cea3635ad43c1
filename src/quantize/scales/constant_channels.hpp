// Which channels are only their bias?
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"

namespace n2d2::quantize {

/// Clears the weights of each output channel of a Conv or Fc for which
///   sum_i |W_i| peak_i <= 2^-20 |b|,  peak_i the largest magnitude that was measured in the channel that W_i
///   reads:
/// float32 hardly tells it from a constant, and weights of 1e-8 and less spoil scales that others share.
/// Weights that came with a scale stay. Returns the number of channels.
int settle_constant_channels(graph::Graph& graph, const Ranges& ranges);

}  // namespace n2d2::quantize
