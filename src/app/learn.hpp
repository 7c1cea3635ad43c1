// How does a learning run look from outside? Console lines, weights, scores while it goes on.
#pragma once

#include "n2d2/loader/network.hpp"

#include "options.hpp"

namespace n2d2::app {

/// `-learn` or `-learn-epoch` (spec cli 3): weights_init/ before; at each log weights_validation/ when the
/// validation is the best, or weights/ without a Validation partition; scores in the folders of the targets.
/// Afterwards the network has the best weights.
void learn(loader::Network& net, const Options& options);

}  // namespace n2d2::app
