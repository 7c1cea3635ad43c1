// What becomes of a network whose weights and activations were quantized while it learnt?
#pragma once

#include "n2d2/loader/network.hpp"

namespace n2d2::loader {

/// Writes into `graph`, which is that of the network or a copy, what was learnt from the masters of
/// `masters`, as an ONNX file that was quantized before has it: weights are integers times a scale
/// (TensorType::quant), a QuantizeActivation is a FakeQuantize with the bounds of its grid. What the network
/// computes in floats stays the same; what comes behind makes integers of it as of any model that brings
/// scales. Weights whose integers need more than 8 bits lose theirs, with a warning that has the share of
/// those that change when they are rounded. ModelError where a grid has not been learnt yet.
void freeze(const Network& network, const graph::Graph& masters, graph::Graph& graph);

}  // namespace n2d2::loader
