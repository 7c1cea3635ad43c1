// What becomes of learnt quantizers when learning is over?
#pragma once

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// The weights of the graph become those that the layers compute with. Steps of activations that nothing has
/// learnt follow from samples of Learn, in an order of the seed; ConfigError where there are none.
/// For an export or a calibration they are frozen (loader::freeze).
void quantize_network(loader::Network& net, const Options& o);

}  // namespace n2d2::app
