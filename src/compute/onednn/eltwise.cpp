#include "n2d2/ops/activation.hpp"

#include "../samples.hpp"
#include "same_shape.hpp"

namespace n2d2::compute::onednn {

namespace {

/// A rectifier (with a leak) or a clamp on both sides.
struct EltwiseFunction {
  double leak = 0;
  std::optional<Clamp> clamp;
};

class EltwiseKernel final : public SameShapeKernel {
 public:
  EltwiseKernel(const Maker& maker, EltwiseFunction function) : SameShapeKernel(maker), function_(function) {}

  void backward(const BackwardBlock& b) override {
    if (!b.d_in[0]) return;
    if (!function_.clamp) return run_backward(b, DNNL_ARG_SRC);
    // The library gives the upper bound of a clamp a gradient, the operator does not.
    const int64_t count = b.at.count * sample_size(context_.in_shape(0));
    std::copy_n(b.d_out[0], count, b.d_in[0]);
    mask_gradient(*function_.clamp, b.in[0], b.d_in[0], count);
  }

 protected:
  SameShapePrimitives build(int64_t count) const override {
    SameShapePrimitives p;
    p.data = plain_desc({count * sample_size(context_.in_shape(0))});
    const auto algorithm = function_.clamp ? dnnl::algorithm::eltwise_clip : dnnl::algorithm::eltwise_relu;
    const float alpha = function_.clamp ? function_.clamp->lo : static_cast<float>(function_.leak);
    const float beta = function_.clamp ? function_.clamp->hi : 0;
    const dnnl::eltwise_forward::primitive_desc forward({forward_kind(), algorithm, p.data, alpha, beta},
                                                        attributes(), engine_.cpu());
    p.forward = make_primitive<dnnl::eltwise_forward>(forward);
    if (!context_.training || function_.clamp) return p;
    const dnnl::eltwise_backward::primitive_desc backward({algorithm, p.data, p.data, alpha, beta},
                                                          attributes(), engine_.cpu(), forward);
    p.backward = make_primitive<dnnl::eltwise_backward>(backward);
    return p;
  }

 private:
  const EltwiseFunction function_;
};

}  // namespace

std::unique_ptr<Kernel> make_relu(const Maker& maker) {
  const auto& op = *graph::as<ops::Relu>(maker.context.node);
  if (op.clipping == 0) return std::make_unique<EltwiseKernel>(maker, EltwiseFunction{op.leak_slope, {}});
  if (op.leak_slope != 0) return nullptr;
  return std::make_unique<EltwiseKernel>(maker, EltwiseFunction{0, op.clamp()});
}

std::unique_ptr<Kernel> make_saturation(const Maker& maker) {
  return std::make_unique<EltwiseKernel>(
      maker, EltwiseFunction{0, graph::as<ops::Saturation>(maker.context.node)->clamp()});
}

}  // namespace n2d2::compute::onednn
