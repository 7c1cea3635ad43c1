// What does `-bn-reestimate` do?
#pragma once

#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Gives each BatchNorm the statistics of -bn-reestimate batches of Learn, which the network runs forward
/// with the weights that its layers compute with, and writes `weights_reestimated`. They follow from the
/// weights and the seed: a run that was stopped makes the same of the same weights. ConfigError where no
/// BatchNorm takes statistics, no sample is there to learn from, or a grid has not been learnt yet.
void reestimate_batchnorms(loader::Network& net, const Options& o);

}  // namespace n2d2::app
