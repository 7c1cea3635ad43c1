#include "n2d2/ops/activation.hpp"

#include "../samples.hpp"
#include "kernels.hpp"

namespace n2d2::compute::onednn {

namespace {

/// A rectifier (with a leak) or a clamp on both sides.
struct Function {
  double leak = 0;
  std::optional<Clamp> clamp;
};

class EltwiseKernel final : public Kernel {
 public:
  EltwiseKernel(const Maker& maker, Function function)
      : engine_(maker.engine), context_(maker.context), function_(function) {}

  void begin_forward(const Batch& batch, int) override {
    try {
      for (const int64_t count : counts_of(batch))
        variants_.get(count, [this](int64_t n) { return build(n); });
    } catch (const dnnl::error& error) {
      rethrow(error, context_.node);
    }
  }

  void forward(const ForwardBlock& b) override {
    const Variant& v = variants_.at(b.at.count);
    engine_.run(v.forward, {{DNNL_ARG_SRC, &v.data, b.in[0]}, {DNNL_ARG_DST, &v.data, b.out[0]}},
                b.at.thread);
  }

  void backward(const BackwardBlock& b) override {
    if (!b.d_in[0]) return;
    const Variant& v = variants_.at(b.at.count);
    if (v.backward)
      return engine_.run(v.backward,
                         {{DNNL_ARG_SRC, &v.data, b.in[0]},
                          {DNNL_ARG_DIFF_DST, &v.data, b.d_out[0]},
                          {DNNL_ARG_DIFF_SRC, &v.data, b.d_in[0]}},
                         b.at.thread);
    // The library gives the upper bound of a clamp a gradient, the operator does not.
    const int64_t count = b.at.count * sample_size(context_.in_shape(0));
    std::copy_n(b.d_out[0], count, b.d_in[0]);
    mask_gradient(*function_.clamp, b.in[0], b.d_in[0], count);
  }

  void finish_backward(std::span<Tensor* const>, int) override {}

 private:
  struct Variant {
    memory::desc data;
    Primitive forward, backward;
  };

  Variant build(int64_t count) const {
    const SingleThread single;
    Variant v;
    v.data = plain_desc({count * sample_size(context_.in_shape(0))});
    const auto algorithm = function_.clamp ? dnnl::algorithm::eltwise_clip : dnnl::algorithm::eltwise_relu;
    const float alpha = function_.clamp ? function_.clamp->lo : static_cast<float>(function_.leak);
    const float beta = function_.clamp ? function_.clamp->hi : 0;
    const dnnl::eltwise_forward::primitive_desc forward(
        {context_.training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference,
         algorithm, v.data, alpha, beta},
        attributes(), engine_.cpu());
    v.forward = make_primitive<dnnl::eltwise_forward>(forward);
    if (!context_.training || function_.clamp) return v;
    const dnnl::eltwise_backward::primitive_desc backward({algorithm, v.data, v.data, alpha, beta},
                                                          attributes(), engine_.cpu(), forward);
    v.backward = make_primitive<dnnl::eltwise_backward>(backward);
    return v;
  }

  Engine& engine_;
  const KernelContext& context_;
  const Function function_;
  PerCount<Variant> variants_;
};

}  // namespace

std::unique_ptr<Kernel> make_relu(const Maker& maker) {
  const auto& op = *graph::as<ops::Relu>(maker.context.node);
  if (op.clipping == 0) return std::make_unique<EltwiseKernel>(maker, Function{op.leak_slope, {}});
  if (op.leak_slope != 0) return nullptr;
  return std::make_unique<EltwiseKernel>(maker, Function{0, op.clamp()});
}

std::unique_ptr<Kernel> make_saturation(const Maker& maker) {
  return std::make_unique<EltwiseKernel>(
      maker, Function{0, graph::as<ops::Saturation>(maker.context.node)->clamp()});
}

}  // namespace n2d2::compute::onednn
