// How does a float network become an integer one? Thresholds, integer parameters and rescaling factors.
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/options.hpp"
#include "n2d2/quantize/report.hpp"

namespace n2d2::quantize {

/// Writes the integers into the graph:
///   values     of integer_type(), QuantParams with one scale s = float32(T / Q) and its T
///   weights    in [-Qs, Qs], QuantParams with axis 0 (per output) or -1, T = w_o
///   biases     of sum_type(), scale s_in * s_w,o; QuantParams::bits is 32 or 63; a row for each kind of
///              border where the input has a zero point and kinds differ (axis 1 then)
///   nodes      Node::rescale where the form is ScaleOf::Own: lo and hi are the bounds of the integer
///              narrowed by the clamp; Node::clamp stays for the reader but is contained in lo and hi
///   Concat     inputs have one scale; a Scaling by 1 ("<branch>_rescale") stands on an edge that needed one
/// Entries of Rescale: with weights one an output channel; Addends::Inputs one an input, always FixedPoint32;
/// else as many as input 0 has factors. Everything it knows of an operator is its IntegerForm. The graph has
/// been through passes::float_pipeline. ExportError with every node that has no integer form; ConfigError for
/// options; InternalError when a value was not calibrated.
QuantReport quantize_graph(graph::Graph& graph, const Ranges& ranges, const Options& options);

/// Adds why this node cannot become integers, with place and hints; false when it can: what its operator
/// says, and a clamp where integers are only moved.
bool find_without_integers(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings);

/// Throws ModelError with every layer that has a weight or another constant which is not finite.
void check_constants(const graph::Graph& graph);
/// Warns of every layer that has one above 1e10.
void warn_of_large_constants(const graph::Graph& graph);

/// clamp(round(x * Q / T + z)), z the zero point, round half away from zero, in double. Result has the shape
/// and layout of `batch`, and the type that integer_type() names. ModelError if a value is not finite.
Tensor quantize_input(const Tensor& batch, const QuantParams& quant);

}  // namespace n2d2::quantize
