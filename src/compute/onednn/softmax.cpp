#include "n2d2/ops/softmax.hpp"

#include "../samples.hpp"
#include "same_shape.hpp"

namespace n2d2::compute::onednn {

namespace {

/// A softmax over the channels, or its logarithm.
template <class Forward, class Backward>
class ChannelKernel : public SameShapeKernel {
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
    const typename Forward::primitive_desc forward({forward_kind(), p.data, kChannelAxis}, attributes(),
                                                   engine_.cpu());
    p.forward = make_primitive<Forward>(forward);
    if (!context_.training) return p;
    const typename Backward::primitive_desc backward({p.data, p.data, kChannelAxis}, attributes(),
                                                     engine_.cpu(), forward);
    p.backward = make_primitive<Backward>(backward);
    return p;
  }
};

/// The library's logarithm goes above 0 by 1e-6.
class LogSoftmaxKernel final : public ChannelKernel<dnnl::logsoftmax_forward, dnnl::logsoftmax_backward> {
 public:
  using ChannelKernel::ChannelKernel;
  void forward(const ForwardBlock& b) override {
    ChannelKernel::forward(b);
    apply_clamp({Clamp{}.lo, 0}, b.out[0], b.at.count * sample_size(context_.in_shape(0)));
  }
};

}  // namespace

std::unique_ptr<Kernel> make_softmax(const Maker& maker) {
  const auto& op = *graph::as<ops::Softmax>(maker.context.node);
  if (op.group_size != 0 && op.group_size != maker.context.in_shape(0).c()) return nullptr;
  return std::make_unique<ChannelKernel<dnnl::softmax_forward, dnnl::softmax_backward>>(maker);
}

std::unique_ptr<Kernel> make_log_softmax(const Maker& maker) {
  return std::make_unique<LogSoftmaxKernel>(maker);
}

}  // namespace n2d2::compute::onednn
