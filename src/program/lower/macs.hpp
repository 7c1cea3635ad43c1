// How many multiplications does a layer take?
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::program {

/// Multiply-accumulates of a convolution or an Fc on one sample; 0 of every other layer.
int64_t macs_of(const graph::Graph& graph, const graph::Node& node);

}  // namespace n2d2::program
