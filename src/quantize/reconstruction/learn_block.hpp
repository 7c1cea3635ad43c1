// How are the weights of one block learnt?
#pragma once

#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/quantize/round_weights.hpp"

namespace n2d2::quantize {

/// What a block sees and should make, N,C,H,W each.
struct BlockSamples {
  Tensor exact;                ///< its input in floats
  Tensor rounded;              ///< its input as the quantized layers before it make it
  std::vector<Tensor> wanted;  ///< its outputs in floats
};

/// Some of the samples, in this order.
Tensor rows_of(const Tensor& all, const std::vector<int64_t>& rows);

/// A layer of a block.
struct BlockLayer {
  graph::ValueId weights, biases;  ///< of the block's graph
  Tensor exact_weights, exact_biases;
  RoundedLayer rounded;
};

/// Puts the integers of a layer into the block.
void set_layer(graph::Graph& block, const BlockLayer& layer);

/// Outputs of a graph for samples, some at a time.
std::vector<Tensor> outputs_for(const graph::Graph& graph, const Tensor& samples,
                                const compute::ExecutorOptions& options);

/// Squared error of the block's outputs, a sample.
double block_error(const graph::Graph& block, const BlockSamples& samples,
                   const compute::ExecutorOptions& options);

/// How long and fast a block learns, and the name that keys its random numbers.
struct Course {
  std::string name;
  int64_t steps = 0;
  double rate = 0.01;  ///< of Adam
};

/// Returns the layers with the integers and biases that were learnt. `error` is block_error() of those that
/// the layers have.
std::vector<BlockLayer> learn_block(graph::Graph block, const std::vector<BlockLayer>& layers,
                                    const BlockSamples& samples, double error, const Course& course,
                                    const compute::ExecutorOptions& options);

}  // namespace n2d2::quantize
