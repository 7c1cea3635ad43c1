// What do convolutions and fully connected layers share? Weights that are packed once a pass, and gradients
// that are summed over blocks.
#pragma once

#include "engine.hpp"
#include "kernels.hpp"

namespace n2d2::compute::onednn {

/// The primitives for one block size. Weights have the format each of them likes best.
struct WeightedPrimitives {
  memory::desc src, dst, bias;
  memory::desc weights, weights_back, d_weights;
  Primitive forward, backward_data, backward_weights;
};

class WeightedKernel : public Kernel {
 public:
  explicit WeightedKernel(const Maker& maker);

  bool clamps_forward() const override { return true; }
  void begin_forward(const Batch& batch, int thread) override;
  void forward(const ForwardBlock& block) override;
  void begin_backward(const Batch& batch, int thread) override;
  void backward(const BackwardBlock& block) override;
  void fold_backward(int last) override;
  void finish_backward(std::span<Tensor* const> d_in, int thread) override;

 protected:
  virtual WeightedPrimitives build(int64_t count) const = 0;
  /// Dimensions of the weights as the primitives see them; the elements lie as in the constant.
  virtual memory::dims weight_dims() const = 0;
  /// 1 where a weight exists, in the constant's order; empty: everywhere.
  virtual const std::vector<float>& weight_mask() const;

  bool has_bias() const { return context_.node.inputs.size() == 3; }
  Engine& engine_;
  const KernelContext& context_;

 private:
  /// Primitives of one block size with their packed weights, and what brings weights to the formats of the
  /// primitives and gradients to the constant's order.
  struct Variant {
    WeightedPrimitives primitives;
    Primitive pack, pack_back, unpack;
    Tensor weights, weights_back;
  };
  struct Gradients {
    Tensor weights, bias;
  };
  Variant& variant(int64_t count);
  void pack(const Primitive& reorder, const memory::desc& desc, Tensor& packed, int thread);
  const float* constant(size_t slot) const;
  /// Weight gradients of blocks [first, last), all of one size, are added in block order to those of `first`.
  void add_to_first(int64_t first, int64_t last);
  /// Brings a weight gradient of blocks of `count` samples to the constant's order.
  void unpack(const Tensor& gradient, int64_t count, Tensor& target, int thread);
  /// finish_backward() of one process, and after fold_backward().
  void finish_alone(std::span<Tensor* const> d_in, int thread);
  void finish_folded(std::span<Tensor* const> d_in, int thread);

  Batch batch_;
  memory::desc plain_;  // the constant's order
  PerCount<Variant> variants_;
  std::vector<Gradients> gradients_;
  Gradients folded_;  ///< in a cluster: of all full blocks, and of all biases
};

}  // namespace n2d2::compute::onednn
