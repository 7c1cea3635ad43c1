// How is a graph written down, for people, dumps and goldens?
#pragma once

#include <string>
#include <string_view>

#include "n2d2/graph/graph.hpp"

namespace n2d2::graph {

/// With Values::All every constant is written in full and from_text gives the same graph back; with
/// Values::Hash constants are a hash of their bytes (dumps of large networks).
enum class Values { All, Hash };

///   input data : f32 1x1x4x4
///   constant conv1_weights : f32 2x1x3x3 = 1 0 ...
///   conv1 : f32 1x2x2x2 = Conv(data, conv1_weights) KernelDims="3 3" NbOutputs="2" clamp="0 inf" @ a.ini:12
///   output conv1
std::string to_text(const Graph& graph, Values values = Values::Hash);

/// Reads what to_text(graph, Values::All) writes. ModelError with the line for anything else.
Graph from_text(std::string_view text, const OperatorRegistry& operators, const std::string& file = "text");

}  // namespace n2d2::graph
