#include "n2d2/ops/softmax.hpp"

#include "same_shape.hpp"

namespace n2d2::compute::onednn {

namespace {

class SoftmaxKernel final : public SameShapeKernel {
 public:
  using SameShapeKernel::SameShapeKernel;

  void backward(const BackwardBlock& b) override {
    if (b.d_in[0]) run_backward(b, DNNL_ARG_DST);
  }

 protected:
  SameShapePrimitives build(int64_t count) const override {
    constexpr int kChannelAxis = 1;
    SameShapePrimitives p;
    p.data = map_desc(context_.in_shape(0), count);
    const dnnl::softmax_forward::primitive_desc forward({forward_kind(), p.data, kChannelAxis}, attributes(),
                                                        engine_.cpu());
    p.forward = make_primitive<dnnl::softmax_forward>(forward);
    if (!context_.training) return p;
    const dnnl::softmax_backward::primitive_desc backward({p.data, p.data, kChannelAxis}, attributes(),
                                                          engine_.cpu(), forward);
    p.backward = make_primitive<dnnl::softmax_backward>(backward);
    return p;
  }
};

}  // namespace

std::unique_ptr<Kernel> make_softmax(const Maker& maker) {
  const auto& op = *graph::as<ops::Softmax>(maker.context.node);
  if (op.group_size != 0 && op.group_size != maker.context.in_shape(0).c()) return nullptr;
  return std::make_unique<SoftmaxKernel>(maker);
}

}  // namespace n2d2::compute::onednn
