// What did the network answer to a batch, on this rank and on the others?
#pragma once

#include <cstdint>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::training {

struct BatchOutputs {
  int64_t samples = 0;          ///< 0: there was no batch
  std::vector<int> labels;      ///< as data::Batch
  std::vector<Tensor> outputs;  ///< one for each target
  Tensor seen;                  ///< the input, where a target wants it
};

/// The outputs of all ranks in their order, on every rank.
std::vector<BatchOutputs> of_all_ranks(BatchOutputs own, const cluster::Cluster& cluster);

}  // namespace n2d2::training
