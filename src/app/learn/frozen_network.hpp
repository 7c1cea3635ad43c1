// What are the integers of a network that learnt with quantizers?
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "n2d2/loader/network.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// A copy of a network with its quantizers frozen, as `-export CPP` has it: what is validated while it
/// learns, and what is exported.
class FrozenNetwork {
 public:
  /// A value that was rounded while it learnt, by its names in the network and among the layers of build().
  struct Value {
    graph::ValueId simulated;
    std::string integers;
    double step = 1;
  };

  /// `masters`: the graph with the weights that learn. ConfigError where values have no scale but that of
  /// samples.
  FrozenNetwork(const loader::Network& net, const graph::Graph& masters, const Options& options);

  const targets::Build& build() const { return *build_; }
  const std::vector<Value>& values() const { return values_; }
  /// The network in floats that integers are made of: BatchNorms are folded into weights.
  const graph::Graph& folded() const { return folded_; }

 private:
  std::unique_ptr<const targets::Export> target_;
  std::unique_ptr<const targets::Build> build_;
  std::vector<Value> values_;
  graph::Graph folded_;
};

}  // namespace n2d2::app
