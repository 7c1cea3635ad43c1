// How does a learning run look from outside? Console lines, weights, scores while it goes on.
#pragma once

#include <optional>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/training/learning_state.hpp"
#include "n2d2/training/trainer.hpp"

#include "command_line/options.hpp"
#include "seed.hpp"
#include "warning_log.hpp"

namespace n2d2::app {

/// `-learn` or `-learn-epoch`: weights_init/ before; at each log weights_validation/ when the
/// validation is the best, or weights/ without a Validation partition; net_state_validation/ and net_state/,
/// from which `-l` goes on; scores and the learning curve in the folders of the targets; at its end
/// report.html and report.json. Afterwards the network has the best weights.
/// `state`: where the run goes on from. Returns the signal that ended it before its time, or 0: then the
/// batch was finished, and net_state/ has the run as it is. The ranks of a cluster learn together; the first
/// one writes.
int learn(loader::Network& net, const Options& options, const Seed& seed, const WarningLog& warnings,
          std::optional<training::LearningState> state, const cluster::Cluster& cluster = cluster::alone());

/// How the network learns, and which of its constants by what.
training::TrainerOptions trainer_options(const loader::Network& net, const Options& options);
std::vector<training::LearntConstant> learnt_constants(const loader::Network& net);

/// `-l` where nothing learns: the weights of the state. ConfigError when it is of another network.
void take_weights(loader::Network& net, const Options& options, const training::LearningState& state);

}  // namespace n2d2::app
