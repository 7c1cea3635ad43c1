// -testQAT, -qat-sat: how far are the floats of learning from the integers that ship?
#pragma once

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// `masters`: the graph with the weights that learn; that of the network has what they are quantized to.
/// Runs the Test samples through the network as it learnt, which rounds floats, and through its integers, and
/// prints how many values and classes differ, and the score of the integers. ConfigError where the network
/// has no quantizers, or a value has no grid.
void test_quantized(const loader::Network& net, const graph::Graph& masters, const Options& options);

}  // namespace n2d2::app
