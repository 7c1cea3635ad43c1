// Which step has a learnt activation quantizer before it learnt anything? One that samples of Learn give.
#pragma once

#include "n2d2/compute/executor.hpp"

namespace n2d2::training {

/// Whether a learnt activation quantizer has no step yet: its learnt number is 0.
bool lacks_first_steps(const graph::Graph& graph);

/// Gives those their first steps: of this batch, in training mode, each layer behind the quantized outputs of
/// those before it. The other constants stay as they are.
void measure_first_steps(graph::Graph& graph, const Tensor& batch, uint64_t step, compute::Backend backend,
                         uint64_t seed);

}  // namespace n2d2::training
