// Which layer takes values from one scale to another?
#pragma once

#include <string>

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// Makes a layer that changes no value of a node, which reads `in`: a Scaling by 1, or where one of the
/// scales has a zero point (`shifts`), which no factor makes, a PRelu of slope 1, whose integers are those of
/// a table.
void put_rescaling(graph::Graph& graph, graph::NodeId node, graph::ValueId in, bool shifts);
/// Inserts such a layer in front of a reader.
graph::NodeId insert_rescaling(graph::Graph& graph, graph::Use reader, const std::string& name, bool shifts);

}  // namespace n2d2::quantize
