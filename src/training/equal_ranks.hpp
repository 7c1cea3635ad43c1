// Have all ranks learnt the same?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/training/trainer.hpp"

namespace n2d2::training {

/// ConfigError, on every rank, that names those whose weights or states are not those of rank 0.
void expect_equal_ranks(const cluster::Cluster& cluster, const graph::Graph& graph,
                        std::span<const SolverState> solvers,
                        const std::vector<TrainerState::Quantizer>& quantizers, int64_t stimuli);

/// ConfigError for a layer that only one process can learn.
void refuse_on_ranks(const graph::Graph& graph);

}  // namespace n2d2::training
