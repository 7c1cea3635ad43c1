// How does a test turn a float network into integers?
#pragma once

#include "n2d2/compute/executor.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

namespace n2d2::testing {

/// Statistics of the one sample, then integers.
inline void quantize_for(graph::Graph& graph, const Tensor& sample, const quantize::Options& options) {
  compute::Executor executor(graph, {compute::Backend::Reference, false, 0});
  const auto source = [&](int64_t index, Tensor& batch) {
    batch = sample;
    return index == 0;
  };
  quantize::quantize_graph(graph, quantize::calibrate(graph, executor, source, options), options);
}
/// Makes integers of this width with default options.
inline void quantize_for(graph::Graph& graph, const Tensor& sample, int bits) {
  quantize::Options options;
  options.bits = bits;
  quantize_for(graph, sample, options);
}

}  // namespace n2d2::testing
