// What is a learning run, so that a state of it goes on in no other one?
#pragma once

#include "n2d2/loader/network.hpp"
#include "n2d2/training/learning_state.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Seed, options that the numbers follow from, samples, transformations, targets, the layers of the network
/// as it was built ("layer <name>"), and the solver of each constant with the length that it takes from the
/// run.
training::RunDescription describe_run(const loader::Network& net, const Options& options);

/// Batches that the run learns from.
int64_t batches_of_run(const loader::Network& net, const Options& options);
/// A solver with the length that it takes from such a run.
std::unique_ptr<training::Solver> settled(const training::Solver& solver, int64_t batches,
                                          int64_t batch_size);
/// "SGD LearningRate=0.1 Momentum=0.9": what is not as by default.
std::string solver_text(const training::Solver& solver);

/// ConfigError with each difference between the run that a state is of and this one, a few of many. With
/// `only_layers` for whoever only wants the weights: the layers alone count.
void require_same_run(const training::LearningState& state, const training::RunDescription& now,
                      const std::string& folder, bool only_layers);

/// The seed of the run that a state is of; 0 when it has none.
uint64_t seed_of(const training::RunDescription& run);

}  // namespace n2d2::app
