#include "n2d2/ops/softmax.hpp"

#include "kernels.hpp"

namespace n2d2::compute::onednn {

namespace {

class SoftmaxKernel final : public Kernel {
 public:
  explicit SoftmaxKernel(const Maker& maker) : engine_(maker.engine), context_(maker.context) {}

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
    engine_.run(v.backward,
                {{DNNL_ARG_DST, &v.data, b.out[0]},
                 {DNNL_ARG_DIFF_DST, &v.data, b.d_out[0]},
                 {DNNL_ARG_DIFF_SRC, &v.data, b.d_in[0]}},
                b.at.thread);
  }

  void finish_backward(std::span<Tensor* const>, int) override {}

 private:
  struct Variant {
    memory::desc data;
    Primitive forward, backward;
  };

  Variant build(int64_t count) const {
    constexpr int kChannelAxis = 1;
    const SingleThread single;
    Variant v;
    v.data = map_desc(context_.in_shape(0), count);
    const dnnl::softmax_forward::primitive_desc forward(
        {context_.training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference, v.data,
         kChannelAxis},
        attributes(), engine_.cpu());
    v.forward = make_primitive<dnnl::softmax_forward>(forward);
    if (!context_.training) return v;
    const dnnl::softmax_backward::primitive_desc backward({v.data, v.data, kChannelAxis}, attributes(),
                                                          engine_.cpu(), forward);
    v.backward = make_primitive<dnnl::softmax_backward>(backward);
    return v;
  }

  Engine& engine_;
  const KernelContext& context_;
  PerCount<Variant> variants_;
};

}  // namespace

std::unique_ptr<Kernel> make_softmax(const Maker& maker) {
  const auto& op = *graph::as<ops::Softmax>(maker.context.node);
  if (op.group_size != 0 && op.group_size != maker.context.in_shape(0).c()) return nullptr;
  return std::make_unique<SoftmaxKernel>(maker);
}

}  // namespace n2d2::compute::onednn
