#include <algorithm>

#include "backend.hpp"
#include "samples.hpp"

namespace n2d2::compute {

namespace {

/// Runs Operator::forward and backward on copies of each block in N,C,H,W; an operator that mixes samples
/// gets the whole batch at once.
class OperatorKernel final : public Kernel {
 public:
  explicit OperatorKernel(const KernelContext& context)
      : context_(context), op_(*context.node.op), mixes_(context.training && op_.mixes_samples()) {
    if (mixes_ && !context.cluster.is_alone())
      throw ModelError(graph::subject(context.node) + ": needs the whole batch, of which a rank has a part",
                       context.node.origin, "one process learns it: '-cluster alone'");
  }

  bool mixes() const override { return mixes_; }

  void begin_forward(const Batch& batch, int) override {
    batch_ = batch;
    whole_ = Part{};
    blocks_.assign(static_cast<size_t>(batch.blocks()), Part{});
    if (mixes_) allocate(whole_, batch.samples, false);
  }

  void gather(const ForwardBlock& b) override { load(b.in, b.at.first, b.at.count, whole_); }
  void combine() override { run_forward(whole_, 0); }

  void forward(const ForwardBlock& b) override {
    if (mixes_) return store(whole_.out, b.at.first, b.at.count, b.out);
    Part& part = blocks_[b.at.index];
    allocate(part, b.at.count, false);
    load(b.in, 0, b.at.count, part);
    run_forward(part, b.at.first);
    store(part.out, 0, b.at.count, b.out);
    release_data(part);
  }

  void begin_backward(const Batch&, int) override {
    if (mixes_) allocate(whole_, batch_.samples, true);
  }

  void gather_backward(const BackwardBlock& b) override { load_gradient(b, b.at.first, b.at.count, whole_); }
  void combine_backward() override { run_backward(whole_, 0); }

  void backward(const BackwardBlock& b) override {
    if (mixes_) return store_gradient(whole_, b.at.first, b.at.count, b.d_in);
    Part& part = blocks_[b.at.index];
    allocate(part, b.at.count, true);
    load(b.in, 0, b.at.count, part);
    load_gradient(b, 0, b.at.count, part);
    run_backward(part, b.at.first);
    store_gradient(part, 0, b.at.count, b.d_in);
    release_data(part);
  }

  void fold_backward(int last) override {
    folded_.resize(context_.wanted.size());
    for (size_t slot = 0; slot < folded_.size(); ++slot) {
      if (!context_.is_parameter(slot) || !context_.wanted[slot]) continue;
      if (folded_[slot].empty()) folded_[slot] = Tensor(context_.in_shape(slot));
      context_.cluster.fold(
          folded_[slot].span(), last, [&](int64_t begin, std::span<float> sum, bool begins) {
            if (begins) std::fill(sum.begin(), sum.end(), 0.0F);
            for (const Part& part : blocks_)
              add(part.d_in[slot].data<float>() + begin, sum.data(), static_cast<int64_t>(sum.size()));
          });
    }
  }

  void finish_backward(std::span<Tensor* const> d_in, int) override {
    for (size_t slot = 0; slot < d_in.size(); ++slot) {
      if (!d_in[slot]) continue;
      if (!context_.cluster.is_alone()) {
        *d_in[slot] = folded_[slot];
        continue;
      }
      if (mixes_) {
        *d_in[slot] = whole_.d_in[slot];
        continue;
      }
      d_in[slot]->fill(0);
      for (const Part& part : blocks_)
        add(part.d_in[slot].data<float>(), d_in[slot]->data<float>(), d_in[slot]->elements());
    }
  }

  const std::vector<Tensor>& saved() const override { return whole_.saved; }

 private:
  /// Copies of a block (or of the whole batch) in N,C,H,W. Entries of parameters are empty, except gradients.
  struct Part {
    std::vector<Tensor> in, out, d_out, d_in, saved;
  };

  void allocate(Part& part, int64_t count, bool with_gradients) const {
    const size_t inputs = context_.node.inputs.size(), outputs = context_.node.outputs.size();
    if (part.in.empty()) {
      part.in.resize(inputs);
      for (size_t i = 0; i < inputs; ++i)
        if (!context_.is_parameter(i)) part.in[i] = Tensor(context_.in_shape(i).with_batch(count));
      for (size_t i = 0; i < outputs; ++i) part.out.emplace_back(context_.out_shape(i).with_batch(count));
    }
    if (!with_gradients) return;
    part.d_in.assign(inputs, Tensor());
    part.d_out.clear();
    for (size_t i = 0; i < outputs; ++i) part.d_out.emplace_back(context_.out_shape(i).with_batch(count));
    for (size_t i = 0; i < inputs; ++i)
      if (context_.wanted[i])
        part.d_in[i] =
            Tensor(context_.is_parameter(i) ? context_.in_shape(i) : context_.in_shape(i).with_batch(count));
  }

  /// Keeps what backward and finish_backward need: saved tensors and gradients of parameters.
  void release_data(Part& part) const {
    part.in.clear();
    part.out.clear();
    part.d_out.clear();
    for (size_t i = 0; i < part.d_in.size(); ++i)
      if (!context_.is_parameter(i)) part.d_in[i] = Tensor();
  }

  void load(std::span<const float* const> in, int64_t first, int64_t count, Part& part) const {
    for (size_t i = 0; i < part.in.size(); ++i) {
      if (context_.is_parameter(i)) continue;
      const Shape& shape = context_.in_shape(i);
      copy_samples(in[i], context_.layout, part.in[i].data<float>() + first * sample_size(shape),
                   Layout::Nchw, shape, count);
    }
  }

  void load_gradient(const BackwardBlock& b, int64_t first, int64_t count, Part& part) const {
    for (size_t i = 0; i < part.d_out.size(); ++i) {
      const Shape& shape = context_.out_shape(i);
      const int64_t offset = first * sample_size(shape);
      copy_samples(b.out[i], context_.layout, part.out[i].data<float>() + offset, Layout::Nchw, shape, count);
      copy_samples(b.d_out[i], context_.layout, part.d_out[i].data<float>() + offset, Layout::Nchw, shape,
                   count);
    }
  }

  void store(const std::vector<Tensor>& from, int64_t first, int64_t count,
             std::span<float* const> to) const {
    for (size_t i = 0; i < from.size(); ++i) {
      const Shape& shape = context_.out_shape(i);
      copy_samples(from[i].data<float>() + first * sample_size(shape), Layout::Nchw, to[i], context_.layout,
                   shape, count);
    }
  }

  void store_gradient(const Part& part, int64_t first, int64_t count, std::span<float* const> d_in) const {
    for (size_t i = 0; i < d_in.size(); ++i) {
      if (!d_in[i]) continue;
      const Shape& shape = context_.in_shape(i);
      copy_samples(part.d_in[i].data<float>() + first * sample_size(shape), Layout::Nchw, d_in[i],
                   context_.layout, shape, count);
    }
  }

  std::vector<const Tensor*> inputs_of(const Part& part) const {
    std::vector<const Tensor*> in;
    for (size_t i = 0; i < part.in.size(); ++i)
      in.push_back(context_.is_parameter(i) ? context_.graph.value(context_.node.inputs[i]).constant.get()
                                            : &part.in[i]);
    return in;
  }

  graph::RandomKey key(int64_t first) const {
    return {context_.seed, context_.node.name, batch_.step, batch_.before + first};
  }

  void run_forward(Part& part, int64_t first) const {
    const std::vector<const Tensor*> in = inputs_of(part);
    std::vector<Tensor*> out;
    for (Tensor& tensor : part.out) out.push_back(&tensor);
    op_.forward({in, out, context_.training, key(first), context_.training ? &part.saved : nullptr});
  }

  void run_backward(Part& part, int64_t first) const {
    const std::vector<const Tensor*> in = inputs_of(part);
    std::vector<const Tensor*> out, d_out;
    std::vector<Tensor*> d_in;
    for (const Tensor& tensor : part.out) out.push_back(&tensor);
    for (const Tensor& tensor : part.d_out) d_out.push_back(&tensor);
    for (Tensor& tensor : part.d_in) d_in.push_back(tensor.empty() ? nullptr : &tensor);
    if (!op_.backward({in, out, d_out, d_in, key(first), &part.saved}))
      throw ModelError(graph::subject(context_.node) + ": has no gradient, cannot be trained through",
                       context_.node.origin);
  }

  const KernelContext& context_;
  const graph::Operator& op_;
  const bool mixes_;
  Batch batch_;
  Part whole_;
  std::vector<Part> blocks_;
  std::vector<Tensor> folded_;  // in a cluster: gradients of parameters, of all ranks
};

class ReferenceBackend final : public KernelMaker {
 public:
  Layout layout() const override { return Layout::Nchw; }
  std::unique_ptr<Kernel> make(const KernelContext& context) override {
    return make_operator_kernel(context);
  }
};

}  // namespace

std::unique_ptr<Kernel> make_operator_kernel(const KernelContext& context) {
  if (auto kernel = make_quantize_activation(context)) return kernel;
  if (auto kernel = make_fake_quantize(context)) return kernel;
  return std::make_unique<OperatorKernel>(context);
}

std::unique_ptr<KernelMaker> make_reference_backend() {
  return std::make_unique<ReferenceBackend>();
}

}  // namespace n2d2::compute
