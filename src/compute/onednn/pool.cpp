#include "n2d2/ops/pool.hpp"

#include "kernels.hpp"

namespace n2d2::compute::onednn {

namespace {

class PoolKernel final : public Kernel {
 public:
  PoolKernel(const Maker& maker, const ops::Pool& op)
      : engine_(maker.engine), context_(maker.context), op_(op) {}

  void begin_forward(const Batch& batch, int) override {
    try {
      for (const int64_t count : counts_of(batch)) variant(count);
    } catch (const dnnl::error& error) {
      rethrow(error, context_.node);
    }
    if (!remembers()) return;
    workspaces_.resize(static_cast<size_t>(batch.blocks()));
    for (int64_t block = 0; block < batch.blocks(); ++block) {
      const auto bytes = static_cast<int64_t>(variant(batch.count(block)).workspace.get_size());
      if (workspaces_[block].bytes() != bytes) workspaces_[block] = Tensor(Shape{bytes}, DataType::U8);
    }
  }

  void forward(const ForwardBlock& b) override {
    const Variant& v = variants_.at(b.at.count);
    if (remembers())
      engine_.run(v.forward,
                  {{DNNL_ARG_SRC, &v.src, b.in[0]},
                   {DNNL_ARG_DST, &v.dst, b.out[0]},
                   {DNNL_ARG_WORKSPACE, &v.workspace, workspaces_[b.at.index].raw()}},
                  b.at.thread);
    else
      engine_.run(v.forward, {{DNNL_ARG_SRC, &v.src, b.in[0]}, {DNNL_ARG_DST, &v.dst, b.out[0]}},
                  b.at.thread);
  }

  void backward(const BackwardBlock& b) override {
    if (!b.d_in[0]) return;
    const Variant& v = variants_.at(b.at.count);
    if (remembers())
      engine_.run(v.backward,
                  {{DNNL_ARG_DIFF_DST, &v.dst, b.d_out[0]},
                   {DNNL_ARG_DIFF_SRC, &v.src, b.d_in[0]},
                   {DNNL_ARG_WORKSPACE, &v.workspace, workspaces_[b.at.index].raw()}},
                  b.at.thread);
    else
      engine_.run(v.backward,
                  {{DNNL_ARG_DIFF_DST, &v.dst, b.d_out[0]}, {DNNL_ARG_DIFF_SRC, &v.src, b.d_in[0]}},
                  b.at.thread);
  }

  void finish_backward(std::span<Tensor* const>, int) override {}

 private:
  struct Variant {
    memory::desc src, dst, workspace;
    Primitive forward, backward;
  };

  /// Training a maximum needs to know where it was.
  bool remembers() const { return context_.training && op_.pooling == ops::Pooling::Max; }

  Variant& variant(int64_t count) {
    return variants_.get(count, [this](int64_t samples) { return build(samples); });
  }

  Variant build(int64_t count) const {
    const SingleThread single;
    Variant v;
    v.src = map_desc(context_.in_shape(0), count);
    v.dst = map_desc(context_.out_shape(), count);
    const memory::dims stride{op_.stride.y, op_.stride.x}, kernel{op_.kernel.y, op_.kernel.x},
        before{op_.padding.top, op_.padding.left}, after{op_.padding.bottom, op_.padding.right};
    const auto algorithm = op_.pooling == ops::Pooling::Max ? dnnl::algorithm::pooling_max
                           : op_.uncounted == Pads{}        ? dnnl::algorithm::pooling_avg_include_padding
                                                            : dnnl::algorithm::pooling_avg_exclude_padding;
    const dnnl::pooling_forward::primitive_desc forward(
        {context_.training ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference,
         algorithm, v.src, v.dst, stride, kernel, before, after},
        attributes(), engine_.cpu());
    v.forward = make_primitive<dnnl::pooling_forward>(forward);
    if (remembers()) v.workspace = forward.workspace_desc();
    if (!context_.training) return v;
    const dnnl::pooling_backward::primitive_desc backward(
        {algorithm, v.src, v.dst, stride, kernel, before, after}, attributes(), engine_.cpu(), forward);
    v.backward = make_primitive<dnnl::pooling_backward>(backward);
    return v;
  }

  Engine& engine_;
  const KernelContext& context_;
  const ops::Pool& op_;
  PerCount<Variant> variants_;
  std::vector<Tensor> workspaces_;
};

}  // namespace

std::unique_ptr<Kernel> make_pool(const Maker& maker) {
  const auto& op = *graph::as<ops::Pool>(maker.context.node);
  const Pads& p = op.padding;
  // The library wants every window to touch the map, and knows no maximum with zeros around it; of padding
  // all or nothing counts.
  const bool touches = std::max(p.left, p.right) < op.kernel.x && std::max(p.top, p.bottom) < op.kernel.y;
  const bool counts_some = op.uncounted != Pads{} && op.uncounted != p;
  if (!touches || counts_some || (op.count_zeros && op.pooling == ops::Pooling::Max && !(p == Pads{})))
    return nullptr;
  return std::make_unique<PoolKernel>(maker, op);
}

}  // namespace n2d2::compute::onednn
