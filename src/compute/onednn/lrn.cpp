#include "n2d2/ops/lrn.hpp"

#include "kernels.hpp"

namespace n2d2::compute::onednn {

namespace {

class LrnKernel final : public Kernel {
 public:
  LrnKernel(const Maker& maker, const ops::Lrn& op)
      : engine_(maker.engine), context_(maker.context), op_(op) {}

  void begin_forward(const Batch& batch, int) override {
    try {
      for (const int64_t count : counts_of(batch)) variant(count);
    } catch (const dnnl::error& error) {
      rethrow(error, context_.node);
    }
    if (!context_.training) return;
    workspaces_.resize(static_cast<size_t>(batch.blocks()));
    for (int64_t block = 0; block < batch.blocks(); ++block) {
      const auto bytes = static_cast<int64_t>(variant(batch.count(block)).workspace.get_size());
      if (workspaces_[block].bytes() != bytes) workspaces_[block] = Tensor(Shape{bytes}, DataType::U8);
    }
  }

  void forward(const ForwardBlock& b) override {
    const Variant& v = variants_.at(b.at.count);
    if (context_.training)
      engine_.run(v.forward,
                  {{DNNL_ARG_SRC, &v.data, b.in[0]},
                   {DNNL_ARG_DST, &v.data, b.out[0]},
                   {DNNL_ARG_WORKSPACE, &v.workspace, workspaces_[b.at.index].raw()}},
                  b.at.thread);
    else
      engine_.run(v.forward, {{DNNL_ARG_SRC, &v.data, b.in[0]}, {DNNL_ARG_DST, &v.data, b.out[0]}},
                  b.at.thread);
  }

  void backward(const BackwardBlock& b) override {
    if (!b.d_in[0]) return;
    const Variant& v = variants_.at(b.at.count);
    engine_.run(v.backward,
                {{DNNL_ARG_SRC, &v.data, b.in[0]},
                 {DNNL_ARG_DIFF_DST, &v.data, b.d_out[0]},
                 {DNNL_ARG_DIFF_SRC, &v.data, b.d_in[0]},
                 {DNNL_ARG_WORKSPACE, &v.workspace, workspaces_[b.at.index].raw()}},
                b.at.thread);
  }

  void finish_backward(std::span<Tensor* const>, int) override {}

 private:
  struct Variant {
    memory::desc data, workspace;
    Primitive forward, backward;
  };

  Variant& variant(int64_t count) {
    return variants_.get(count, [this](int64_t samples) { return build(samples); });
  }

  Variant build(int64_t count) const {
    const SingleThread single;
    Variant v;
    v.data = map_desc(context_.in_shape(0), count);
    constexpr auto kAcross = dnnl::algorithm::lrn_across_channels;
    // The library divides alpha by the number of neighbours.
    const auto alpha = static_cast<float>(op_.alpha * op_.n), beta = static_cast<float>(op_.beta),
               k = static_cast<float>(op_.k);
    const dnnl::lrn_forward::primitive_desc forward(
        {context_.training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference, kAcross,
         v.data, op_.n, alpha, beta, k},
        attributes(), engine_.cpu());
    v.forward = make_primitive<dnnl::lrn_forward>(forward);
    if (!context_.training) return v;
    v.workspace = forward.workspace_desc();
    const dnnl::lrn_backward::primitive_desc backward({kAcross, v.data, v.data, op_.n, alpha, beta, k},
                                                      attributes(), engine_.cpu(), forward);
    v.backward = make_primitive<dnnl::lrn_backward>(backward);
    return v;
  }

  Engine& engine_;
  const KernelContext& context_;
  const ops::Lrn& op_;
  PerCount<Variant> variants_;
  std::vector<Tensor> workspaces_;
};

}  // namespace

std::unique_ptr<Kernel> make_lrn(const Maker& maker) {
  const auto& op = *graph::as<ops::Lrn>(maker.context.node);
  // The library's neighbours are as many on both sides, and it crashes without any.
  if (op.n % 2 == 0 || op.n == 1 || op.k == 0) return nullptr;
  return std::make_unique<LrnKernel>(maker, op);
}

}  // namespace n2d2::compute::onednn
