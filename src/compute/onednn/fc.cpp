#include "n2d2/ops/fc.hpp"

#include "weighted.hpp"

namespace n2d2::compute::onednn {

namespace {

/// The weights O, C*H*W are seen as O,C,H,W, so that the library matches them with activations that have the
/// channels last.
class FcKernel final : public WeightedKernel {
 public:
  using WeightedKernel::WeightedKernel;

 protected:
  memory::dims weight_dims() const override {
    const Shape& in = context_.in_shape(0);
    return {context_.out_shape().c(), in.c(), in.h(), in.w()};
  }

  WeightedPrimitives build(int64_t count) const override {
    WeightedPrimitives p;
    p.src = map_desc(context_.in_shape(0), count);
    const int64_t outputs = context_.out_shape().c();
    p.dst = plain_desc({count, outputs});
    if (has_bias()) p.bias = plain_desc({outputs});
    const memory::desc any = any_desc(weight_dims());
    const dnnl::engine& cpu = engine_.cpu();

    const dnnl::inner_product_forward::primitive_desc forward(
        {context_.training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference, p.src,
         any, p.bias, p.dst},
        attributes(context_.node.clamp), cpu);
    p.weights = forward.weights_desc();
    p.forward = make_primitive<dnnl::inner_product_forward>(forward);
    if (!context_.training) return p;

    const dnnl::inner_product_backward_weights::primitive_desc weights({p.src, any, p.bias, p.dst},
                                                                       attributes(), cpu, forward);
    p.d_weights = weights.diff_weights_desc();
    p.backward_weights = make_primitive<dnnl::inner_product_backward_weights>(weights);
    if (!context_.wanted[0]) return p;

    const dnnl::inner_product_backward_data::primitive_desc data({p.src, any, p.dst}, attributes(), cpu,
                                                                 forward);
    p.weights_back = data.weights_desc();
    p.backward_data = make_primitive<dnnl::inner_product_backward_data>(data);
    return p;
  }
};

}  // namespace

std::unique_ptr<Kernel> make_fc(const Maker& maker) {
  const auto& fc = *graph::as<ops::Fc>(maker.context.node);
  if (fc.normalize || (maker.context.training && fc.drop_connect < 1)) return nullptr;
  return std::make_unique<FcKernel>(maker);
}

}  // namespace n2d2::compute::onednn
