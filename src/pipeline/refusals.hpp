// What of a network does an export refuse, and where would the network have to end without it?
#pragma once

#include <set>
#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::pipeline {

/// Who reads what in a network, by name, from before passes change it.
class Wiring {
 public:
  explicit Wiring(const graph::Graph& graph);

  /// Values that these layers read from layers that depend on none of them, then outputs of the network that
  /// do not either:
  /// what is left when the network ends before the layers. Empty where they read nothing but its inputs.
  std::vector<std::string> ends_without(const std::set<std::string, std::less<>>& layers) const;

 private:
  struct Layer {
    std::string name;
    std::vector<std::string> inputs, outputs;
  };
  std::vector<Layer> layers_;  // producers first
  std::set<std::string, std::less<>> given_;
  std::vector<std::string> outputs_;
};

/// A finding for every layer of a float form that has no integer form, or that this type of export cannot
/// take, and one where nothing is left that computes. `before`: the network as it was built, whose values
/// hints name. ExportError.
void check_layers(const graph::Graph& graph, const Wiring& before, const Request& request,
                  const targets::Export& target);

}  // namespace n2d2::pipeline
