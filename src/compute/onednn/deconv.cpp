#include "n2d2/ops/deconv.hpp"

#include "weighted.hpp"

namespace n2d2::compute::onednn {

namespace {

class DeconvKernel final : public WeightedKernel {
 public:
  DeconvKernel(const Maker& maker, const ops::Deconv& op) : WeightedKernel(maker), op_(op) {
    const int64_t taps = int64_t{op.kernel.x} * op.kernel.y, channels = context_.in_shape(0).c();
    for (int64_t o = 0; o < op.nb_outputs && !op.connections.empty(); ++o)
      for (int64_t c = 0; c < channels; ++c)
        mask_.insert(mask_.end(), static_cast<size_t>(taps),
                     op.connections[static_cast<size_t>(c * op.nb_outputs + o)] != 0 ? 1.0F : 0.0F);
  }

 protected:
  memory::dims weight_dims() const override {
    const int64_t in_c = context_.in_shape(0).c();
    if (op_.groups == 1) return {op_.nb_outputs, in_c, op_.kernel.y, op_.kernel.x};
    return {op_.groups, op_.nb_outputs / op_.groups, in_c / op_.groups, op_.kernel.y, op_.kernel.x};
  }

  const std::vector<float>& weight_mask() const override { return mask_; }

  WeightedPrimitives build(int64_t count) const override {
    WeightedPrimitives p;
    p.src = map_desc(context_.in_shape(0), count);
    p.dst = map_desc(context_.out_shape(), count);
    if (has_bias()) p.bias = plain_desc({op_.nb_outputs});
    const memory::desc any = any_desc(weight_dims());
    const memory::dims stride{op_.stride.y, op_.stride.x}, dilation{op_.dilation.y - 1, op_.dilation.x - 1},
        before{op_.padding.top, op_.padding.left},
        after{op_.padding.bottom - op_.output_padding.y, op_.padding.right - op_.output_padding.x};
    constexpr auto kDirect = dnnl::algorithm::deconvolution_direct;
    const dnnl::engine& cpu = engine_.cpu();

    const dnnl::deconvolution_forward::primitive_desc forward(
        {context_.training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference, kDirect,
         p.src, any, p.bias, p.dst, stride, dilation, before, after},
        attributes(context_.node.clamp), cpu);
    p.weights = forward.weights_desc();
    p.forward = make_primitive<dnnl::deconvolution_forward>(forward);
    if (!context_.training) return p;

    const dnnl::deconvolution_backward_weights::primitive_desc weights(
        {kDirect, p.src, any, p.bias, p.dst, stride, dilation, before, after}, attributes(), cpu, forward);
    p.d_weights = weights.diff_weights_desc();
    p.backward_weights = make_primitive<dnnl::deconvolution_backward_weights>(weights);
    if (!context_.wanted[0]) return p;

    const dnnl::deconvolution_backward_data::primitive_desc data(
        {kDirect, p.src, any, p.dst, stride, dilation, before, after}, attributes(), cpu, forward);
    p.weights_back = data.weights_desc();
    p.backward_data = make_primitive<dnnl::deconvolution_backward_data>(data);
    return p;
  }

 private:
  const ops::Deconv& op_;
  std::vector<float> mask_;
};

}  // namespace

std::unique_ptr<Kernel> make_deconv(const Maker& maker) {
  const auto& op = *graph::as<ops::Deconv>(maker.context.node);
  // The library takes output padding as negative padding, and of that less than a step.
  const bool fits = op.output_padding.x - op.padding.right < op.stride.x &&
                    op.output_padding.y - op.padding.bottom < op.stride.y;
  return fits ? std::make_unique<DeconvKernel>(maker, op) : nullptr;
}

}  // namespace n2d2::compute::onednn
