// Which small edits do several passes share?
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/passes/own_constant.hpp"
#include "n2d2/passes/pass.hpp"

namespace n2d2::passes {

/// Whether the node is a Conv or an Fc; both have data, weights and perhaps biases as inputs.
bool has_weights(const graph::Node& node);

/// Registers a pass under its own name.
template <class P>
void register_pass(PassRegistry& registry) {
  auto pass = std::make_shared<const P>();
  registry.add(std::string(pass->name()), pass);
}

}  // namespace n2d2::passes
