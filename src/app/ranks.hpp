// Which of the processes of a run is this one, and what do all of them have in common?
#pragma once

#include <functional>
#include <string>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/loader/network.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// Calls body with the processes that a launcher has started (-cluster, N2D2_CLUSTER, or the variables of the
/// launcher), or with one alone, and returns its exit code. Ranks but the first print errors alone.
/// In a cluster a failure of a rank ends all of them. ConfigError: the module of MPI cannot be used, or ranks
/// are different programs.
int on_rank(const Options& options, const std::function<int(const cluster::Cluster&)>& body);

/// Before ranks know each other, the first one tells of a failure that all of them have: the others wait for
/// their end, and then have a name, "rank 3: ". "" where no launcher has started this process.
std::string name_of_later_rank();

/// ConfigError unless all ranks have read the same network, weights and lists of samples.
void check_ranks(const cluster::Cluster& cluster, const loader::Network& net);

/// Says when some ranks have no part of a work of so many batches.
void warn_of_idle_ranks(const cluster::Cluster& cluster, int64_t samples, int64_t batch);

/// Says when a batch that all ranks learn from has fewer shards than there are ranks.
void warn_of_idle_ranks(const cluster::Cluster& cluster, int64_t batch);

/// The largest number that a rank gives.
int largest_of_ranks(const cluster::Cluster& cluster, int value);

/// "", or "; one of 4 ranks" behind a speed.
std::string of_ranks(const cluster::Cluster& cluster);

}  // namespace n2d2::app
