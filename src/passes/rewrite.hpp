// Which small edits do several passes share?
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/passes/own_constant.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/passes/weight_indices.hpp"

namespace n2d2::passes {

/// Weights of a layer that a pass makes, at most: a layer of a section may have no more (2 GiB of float32).
constexpr int64_t kMostWeights = int64_t{1} << 29;

/// Registers a pass under its own name.
template <class P>
void register_pass(PassRegistry& registry) {
  auto pass = std::make_shared<const P>();
  registry.add(std::string(pass->name()), pass);
}

}  // namespace n2d2::passes
