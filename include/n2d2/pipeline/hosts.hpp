// Which layer computes now what a layer of the network as it was built does?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::pipeline {

/// The layers of a network by name, from before passes change it.
class Hosts {
 public:
  explicit Hosts(const graph::Graph& graph);

  /// Pairs of a layer, producers first, and the layer of the graph that has its values: itself, the identity
  /// layer of a BatchNorm, or the layer before it that it has become part of; "" where none has.
  std::vector<std::pair<std::string, std::string>> in(const graph::Graph& graph) const;

 private:
  struct Layer {
    std::string name, before;
  };
  std::vector<Layer> layers_;
};

}  // namespace n2d2::pipeline
