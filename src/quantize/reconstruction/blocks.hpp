// Where can a network be cut so that one value alone goes across?
#pragma once

#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// Nodes in the order in which they run. Of the values before them they read `in` alone.
struct Block {
  std::vector<graph::NodeId> nodes;
  graph::ValueId in;
  /// What later nodes read, which is one value, and outputs of the graph.
  std::vector<graph::ValueId> outs;
};

/// Cuts a graph of one input into blocks, each of `most` layers with weights or as few more as it can be cut
/// into. A Softmax or LogSoftmax at the end is in no block.
std::vector<Block> blocks_of(const graph::Graph& floats, size_t most);

/// The block as a graph of its own, with the constants of `graph`: `floats`, or its simulated_graph(). Values
/// have their names, and what rounds `in` is left out.
graph::Graph block_graph(const graph::Graph& graph, const graph::Graph& floats, const Block& block);

/// The rounding of a value in a simulated graph; null where it is not rounded.
const graph::Operator* rounding_of(const graph::Graph& simulated, const graph::Graph& floats,
                                   graph::ValueId value);

}  // namespace n2d2::quantize
