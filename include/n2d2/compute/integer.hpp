// What does a quantized graph compute? Its integers, from the definition: the judge of every export.
#pragma once

#include <map>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/graph/integers.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::compute {

/// Runs a quantized graph sample by sample with the operators' plain loops (Operator::integers), in 64 bits.
/// It shares no code with export/CPP/kernels, rounding included.
class IntegerExecutor {
 public:
  /// The graph must outlive this and not change; its bytes are in logical order (before adapt_layout).
  /// ModelError naming every value that is float32, and every node without an integer form.
  explicit IntegerExecutor(const graph::Graph& graph);

  /// One sample 1,C,H,W of integers, of the type of the graph's input: the integers of every value that is no
  /// constant, of its own type.
  std::map<graph::ValueId, Tensor> run(const Tensor& sample) const;
  /// N samples, in parallel: one tensor N,C,H,W for each output of the graph.
  std::vector<Tensor> outputs(const Tensor& batch) const;

 private:
  using Values = std::map<graph::ValueId, graph::Integers>;
  Values run_sample(const Tensor& batch, int64_t sample) const;
  void run_node(const graph::Node& node, Values& values) const;

  const graph::Graph& graph_;
  std::vector<graph::NodeId> order_;
};

}  // namespace n2d2::compute
