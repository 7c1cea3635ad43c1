// Answers: what must every layer of a quantized network give for one input, computed plainly in int64?
//
// Judges host run and exported program. It reads the quantized graph before the byte order of an export is
// chosen (weights O,I,H,W; Fc rows in the order channel, y, x), so that the permutations are judged, too.
#pragma once

#include <map>
#include <string>

#include "n2d2/graph/graph.hpp"

#include "oracle/naive_ops.hpp"

namespace n2d2::oracle {

/// Every activation by value name. `input` holds the integers of the network input.
std::map<std::string, Map<int64_t>> run_network(const graph::Graph& graph, const Map<int64_t>& input);

}  // namespace n2d2::oracle
