// How do the sums of a calibration go from rank to rank, so that samples are added in their order?
#pragma once

#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/quantize/calibrate.hpp"

namespace n2d2::quantize {

/// A value of the graph, and what has been measured of it so far.
struct Observed {
  graph::ValueId id;
  Statistics statistics;
};

/// The ranks take batches in turn. Before a rank adds the samples of its batch it takes the sums over the
/// batches before from the rank before, and hands them on afterwards. The rank that runs out of batches first
/// has the sums of all; from there they go around once more.
class SumsOfRanks {
 public:
  SumsOfRanks(const graph::Graph& graph, std::vector<Observed>& values, const cluster::Cluster& cluster)
      : graph_(graph), values_(values), cluster_(cluster) {}

  /// The sums over the batches before, and the number of their samples.
  void take_over(int64_t& read);
  void hand_on(int64_t read) const;
  /// When this rank has no further batch: the sums over all.
  void finish(int64_t& read);

 private:
  cluster::Bytes packed(int64_t read) const;
  void unpack(const cluster::Bytes& bytes, int64_t& read);

  const graph::Graph& graph_;
  std::vector<Observed>& values_;
  const cluster::Cluster& cluster_;
  bool has_begun_ = false;
  int ended_by_ = -1;  ///< the rank that ran out of batches first; -1: none yet
};

}  // namespace n2d2::quantize
