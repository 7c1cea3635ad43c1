// Where does a chain of operators occur? The patterns of fusing passes.
#pragma once

#include <string_view>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::graph {

/// Nodes in order of the recipe; an optional one that is not there has an invalid id.
using Chain = std::vector<NodeId>;

/// Finds chains such as "Padding -> Conv|Pool -> BatchNorm? -> Relu?": each link is output 0 to input 0, and
/// every value between two matched nodes has that single use. Longest match from each start, in schedule
/// order; chains do not share nodes.
std::vector<Chain> match(const Graph& graph, std::string_view recipe);

}  // namespace n2d2::graph
