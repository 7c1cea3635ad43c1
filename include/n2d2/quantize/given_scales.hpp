// Which scales does the model bring along? Those of a file that was quantized before.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/options.hpp"

namespace n2d2::quantize {

/// Whether values are rounded to a grid (FakeQuantize) or weights came with scales.
bool has_given_scales(const graph::Graph& graph);

/// Takes every FakeQuantize out of the graph: what rounds becomes TensorType::quant of a float32 value. The
/// layer that makes the value rescales straight to it, also through layers that only move integers; a value
/// that is read otherwise, too, or has another scale already, gets a Scaling by 1 in its place. A zero point
/// that is not 0 is exact when what is left, q - z, fits the unsigned or the signed integer, given the
/// declared range of the value (int8 with -128, uint8 with 128, a Rectifier in front), or where the value is
/// an input of the network, options.zero_points is set, and what reads it takes zero points
/// (refuses_zero_point()): it is kept as QuantParams::zero_point. A rounding with another zero point that
/// ends the network is left out, which is said. The layer's clamp keeps the file's bounds, in floats too.
/// Layers that change nothing without it are dropped. ExportError with every one that has no such form, or is
/// of another width than options.bits or of a sign that options.allow_unsigned forbids.
void adopt_given_scales(graph::Graph& graph, const Options& options);

/// Names of values that need a threshold of their own and have none: what calibration has to measure.
/// `output_bits` as in Options: outputs of 32 bits need none.
std::vector<std::string> values_without_scale(const graph::Graph& graph,
                                              std::span<const int> output_bits = {});

/// Names of Conv and Fc layers whose weights are floats without a scale, and lose something in integers: not
/// where those of each output are 0 and one magnitude, as an import makes them to pick channels.
std::vector<std::string> weights_without_scale(const graph::Graph& graph);

}  // namespace n2d2::quantize
