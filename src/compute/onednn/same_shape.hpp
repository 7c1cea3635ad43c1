// What do layers share that have one input, an output of its shape, and no parameters? Their primitives, one
// pair for each block size.
#pragma once

#include "engine.hpp"
#include "kernels.hpp"

namespace n2d2::compute::onednn {

/// `backward` stays empty where the primitive is not wanted.
struct SameShapePrimitives {
  memory::desc data;
  Primitive forward, backward;
};

class SameShapeKernel : public Kernel {
 public:
  explicit SameShapeKernel(const Maker& maker) : engine_(maker.engine), context_(maker.context) {}

  void begin_forward(const Batch& batch, int thread) override;
  void forward(const ForwardBlock& block) override;
  void finish_backward(std::span<Tensor* const>, int) override {}

 protected:
  virtual SameShapePrimitives build(int64_t count) const = 0;
  const SameShapePrimitives& primitives(const Block& block) { return variants_.at(block.count); }
  /// Runs the primitive of backward(); `given` is what it needs of the forward pass: DNNL_ARG_SRC or
  /// DNNL_ARG_DST.
  void run_backward(const BackwardBlock& block, int given);
  dnnl::prop_kind forward_kind() const {
    return context_.training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
  }

  Engine& engine_;
  const KernelContext& context_;

 private:
  PerCount<SameShapePrimitives> variants_;
};

}  // namespace n2d2::compute::onednn
