// Which chains of layers does somebody take as one, and how are they fused?
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "n2d2/passes/pass.hpp"

namespace n2d2::passes {

/// A pattern over operator types and what becomes of it.
struct Recipe {
  std::string name;
  /// Types from the first layer to the last: "Padding? Conv Relu?". A link with '?' may be absent. Between
  /// two links is a value that has no other reader and does not leave the graph.
  std::string chain;
  /// Rewrites a chain: a node for each link, an invalid id for one that is absent. False: leaves it as it
  /// was. What it makes must not fit the chain again. Clamps of nodes are its to look at.
  std::function<bool(graph::Graph&, std::span<const graph::NodeId>)> fuse;
};

/// Fuses every chain, recipe by recipe, from the inputs on and the longest first where one may be absent;
/// after_pass is called for each recipe, with its name, once the graph is verified. Returns the number of
/// fusions. InternalError for a chain without links, and for a recipe that finds its own result again.
int fuse(graph::Graph& graph, std::span<const Recipe> recipes, const PassContext& context = {});

}  // namespace n2d2::passes
