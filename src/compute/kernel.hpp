// What does a backend do for one node, on one block of samples?
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/graph/graph.hpp"

namespace n2d2::compute {

/// Samples [first, first + count) of the batch. `index` counts blocks, `thread` names the calling thread.
struct Block {
  int64_t index = 0, first = 0, count = 0;
  int thread = 0;
};

/// A batch cut into blocks of `block` samples; the last one may be shorter. In a cluster this rank has
/// `samples` of `whole`, behind `before` on others; all blocks but the last one of all ranks are full.
struct Batch {
  int64_t samples = 0;
  /// Keys the random numbers of this pass.
  uint64_t step = 0;
  int64_t block = 1;
  int64_t before = 0, whole = 0;
  int64_t blocks() const { return (samples + block - 1) / block; }
  int64_t first(int64_t index) const { return index * block; }
  int64_t count(int64_t index) const { return std::min(block, samples - first(index)); }
};

/// Data pointers are at the block's first sample, in the layout of the backend; parameters are whole, in
/// their logical order.
struct ForwardBlock {
  Block at;
  std::span<const float* const> in;
  std::span<float* const> out;
};

/// d_in[slot] is null for parameters and for data whose gradient nobody needs, else to be overwritten.
struct BackwardBlock {
  Block at;
  std::span<const float*const> in, out, d_out;
  std::span<float* const> d_in;
};

/// What a kernel is made for. References stay valid for the life of the kernel.
struct KernelContext {
  const graph::Graph& graph;
  const graph::Node& node;
  Layout layout = Layout::Nchw;
  bool training = false;
  uint64_t seed = 0;
  /// Inputs whose gradient is wanted: learnt constants and data that depends on one.
  std::vector<bool> wanted;
  const cluster::Cluster& cluster = cluster::alone();

  /// Returns the shape of input `slot`: that of one sample (batch extent 1), or that of a parameter.
  const Shape& in_shape(size_t slot) const { return graph.value(node.inputs[slot]).type.shape; }
  const Shape& out_shape(size_t slot = 0) const { return graph.value(node.outputs[slot]).type.shape; }
  bool is_parameter(size_t slot) const { return !node.op->input_role(slot).empty(); }
};

/// Calls come in this order; those marked (blocks) from several threads at once, each with its own block.
///   begin_forward, [gather (blocks), combine,] forward (blocks)
///   begin_backward, [gather_backward (blocks), combine_backward,] backward (blocks), [fold_backward,]
///   finish_backward
/// The calls in brackets only when mixes(), and fold_backward() only in a cluster. The batch of begin_forward
/// is cut as gather() or else forward() sees it, that of begin_backward as gather_backward() or else
/// backward() does; where mixes(), the others may see other blocks.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// Computes something over the whole batch before it can compute its output.
  virtual bool mixes() const { return false; }
  /// The node's clamp is applied by forward(); its gradient is applied by backward().
  virtual bool clamps_forward() const { return false; }
  virtual bool clamps_backward() const { return false; }
  /// backward() may be given the same memory as d_out[0] and d_in[0]; the node has one data input.
  virtual bool backward_in_place() const { return false; }

  /// Parameters may have changed since the last call. Different kernels may be called at once.
  virtual void begin_forward(const Batch&, int /*thread*/) {}
  virtual void gather(const ForwardBlock&) {}
  virtual void combine() {}
  virtual void forward(const ForwardBlock& block) = 0;

  virtual void begin_backward(const Batch&, int /*thread*/) {}
  virtual void gather_backward(const BackwardBlock&) {}
  virtual void combine_backward() {}
  virtual void backward(const BackwardBlock& block) = 0;
  /// Sums over the blocks of all ranks, in their order, come to rank `last`, the last one that has samples.
  /// Called on every rank, from the main thread; what is sent stays unchanged. finish_backward() is called on
  /// rank `last` alone then.
  virtual void fold_backward(int /*last*/) {}
  /// Writes the gradients of the wanted parameters (others are null), summed over the blocks in block order.
  virtual void finish_backward(std::span<Tensor* const> d_in, int thread) = 0;

  /// What Operator::absorb takes; empty when nothing.
  virtual const std::vector<Tensor>& saved() const {
    static const std::vector<Tensor> none;
    return none;
  }
};

}  // namespace n2d2::compute
