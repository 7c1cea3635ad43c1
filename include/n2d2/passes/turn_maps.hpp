// What is a network whose maps lie on their side? The same layers with height and width exchanged in every
// map.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/graph/turn.hpp"

namespace n2d2::passes {

struct TurnedGraph {
  std::map<graph::ValueId, graph::ValueId> values;
  std::map<graph::NodeId, graph::NodeId> nodes;
  /// Values that are not turned maps.
  std::map<graph::ValueId, graph::OrderPtr> orders;
  /// Old values that follow from what was refused.
  std::set<graph::ValueId> guessed;
};

/// Reports what cannot be exchanged: the reason, and a hint unless there is none but not to exchange.
using TurnRefused = std::function<void(const graph::Node&, std::string reason, std::string hint)>;

/// Adds what `from` computes to `to`, so that each input and every map is the transpose of the old one, while
/// values of one pixel are equal. `inputs`: one for each input of `from`. No layer is added for it: fields
/// and constants change, as Operator::turned says. Nodes keep their names where they are free. What was
/// refused is reported; the graph is half-built then.
TurnedGraph add_turned(graph::Graph& to, const graph::Graph& from, const std::vector<graph::ValueId>& inputs,
                       const TurnRefused& refused);

}  // namespace n2d2::passes
