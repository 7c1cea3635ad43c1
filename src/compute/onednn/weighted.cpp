#include "weighted.hpp"

#include <algorithm>

#include "../samples.hpp"

namespace n2d2::compute::onednn {

namespace {

Primitive make_reorder(const Engine& engine, const memory::desc& from, const memory::desc& to) {
  return make_primitive<dnnl::reorder>(
      dnnl::reorder::primitive_desc(engine.cpu(), from, engine.cpu(), to, attributes()));
}

}  // namespace

WeightedKernel::WeightedKernel(const Maker& maker) : engine_(maker.engine), context_(maker.context) {}

const std::vector<float>& WeightedKernel::weight_mask() const {
  static const std::vector<float> everywhere;
  return everywhere;
}

const float* WeightedKernel::constant(size_t slot) const {
  return context_.graph.value(context_.node.inputs[slot]).constant->data<float>();
}

WeightedKernel::Variant& WeightedKernel::variant(int64_t count) {
  return variants_.get(count, [this](int64_t samples) {
    const SingleThread single;
    Variant out;
    const WeightedPrimitives& p = out.primitives = build(samples);
    plain_ = plain_desc(weight_dims());
    out.weights = buffer_for(p.weights);
    out.pack = make_reorder(engine_, plain_, p.weights);
    if (p.backward_weights) out.unpack = make_reorder(engine_, p.d_weights, plain_);
    if (!p.backward_data) return out;
    out.weights_back = buffer_for(p.weights_back);
    out.pack_back = make_reorder(engine_, plain_, p.weights_back);
    return out;
  });
}

void WeightedKernel::pack(const Primitive& reorder, const memory::desc& desc, Tensor& packed, int thread) {
  const float* weights = constant(1);
  std::vector<float> masked;
  if (const std::vector<float>& mask = weight_mask(); !mask.empty()) {
    masked = mask;
    for (size_t i = 0; i < mask.size(); ++i) masked[i] *= weights[i];
    weights = masked.data();
  }
  engine_.run(reorder, {{DNNL_ARG_FROM, &plain_, weights}, {DNNL_ARG_TO, &desc, packed.raw()}}, thread);
}

void WeightedKernel::begin_forward(const Batch& batch, int thread) {
  batch_ = batch;
  try {
    for (const int64_t count : counts_of(batch)) {
      Variant& v = variant(count);
      pack(v.pack, v.primitives.weights, v.weights, thread);
    }
  } catch (const dnnl::error& error) {
    rethrow(error, context_.node);
  }
}

void WeightedKernel::forward(const ForwardBlock& b) {
  const Variant& v = variants_.at(b.at.count);
  const WeightedPrimitives& p = v.primitives;
  if (has_bias())
    engine_.run(p.forward,
                {{DNNL_ARG_SRC, &p.src, b.in[0]},
                 {DNNL_ARG_WEIGHTS, &p.weights, v.weights.raw()},
                 {DNNL_ARG_BIAS, &p.bias, b.in[2]},
                 {DNNL_ARG_DST, &p.dst, b.out[0]}},
                b.at.thread);
  else
    engine_.run(p.forward,
                {{DNNL_ARG_SRC, &p.src, b.in[0]},
                 {DNNL_ARG_WEIGHTS, &p.weights, v.weights.raw()},
                 {DNNL_ARG_DST, &p.dst, b.out[0]}},
                b.at.thread);
}

void WeightedKernel::begin_backward(const Batch& batch, int thread) {
  gradients_.resize(static_cast<size_t>(batch.blocks()));
  for (const int64_t count : counts_of(batch)) {
    Variant& v = variant(count);
    if (context_.wanted[0]) pack(v.pack_back, v.primitives.weights_back, v.weights_back, thread);
  }
  for (int64_t block = 0; block < batch.blocks(); ++block) {
    Gradients& g = gradients_[block];
    const WeightedPrimitives& p = variant(batch.count(block)).primitives;
    if (g.weights.bytes() != static_cast<int64_t>(p.d_weights.get_size()))
      g.weights = buffer_for(p.d_weights);
    if (has_bias() && g.bias.empty()) g.bias = buffer_for(p.bias);
  }
}

void WeightedKernel::backward(const BackwardBlock& b) {
  const Variant& v = variants_.at(b.at.count);
  const WeightedPrimitives& p = v.primitives;
  Gradients& g = gradients_[b.at.index];
  if (has_bias())
    engine_.run(p.backward_weights,
                {{DNNL_ARG_SRC, &p.src, b.in[0]},
                 {DNNL_ARG_DIFF_DST, &p.dst, b.d_out[0]},
                 {DNNL_ARG_DIFF_WEIGHTS, &p.d_weights, g.weights.raw()},
                 {DNNL_ARG_DIFF_BIAS, &p.bias, g.bias.raw()}},
                b.at.thread);
  else
    engine_.run(p.backward_weights,
                {{DNNL_ARG_SRC, &p.src, b.in[0]},
                 {DNNL_ARG_DIFF_DST, &p.dst, b.d_out[0]},
                 {DNNL_ARG_DIFF_WEIGHTS, &p.d_weights, g.weights.raw()}},
                b.at.thread);
  if (b.d_in[0])
    engine_.run(p.backward_data,
                {{DNNL_ARG_DIFF_DST, &p.dst, b.d_out[0]},
                 {DNNL_ARG_WEIGHTS, &p.weights_back, v.weights_back.raw()},
                 {DNNL_ARG_DIFF_SRC, &p.src, b.d_in[0]}},
                b.at.thread);
}

/// In tiles that stay in the first cache, so that the sum goes to memory once.
void WeightedKernel::add_to_first(int64_t first, int64_t last) {
  constexpr int64_t kTile = 2048;
  Tensor& sum = gradients_[first].weights;
  for (int64_t begin = 0; begin < sum.elements(); begin += kTile)
    for (int64_t block = first + 1; block < last; ++block)
      add(gradients_[block].weights.data<float>() + begin, sum.data<float>() + begin,
          std::min(kTile, sum.elements() - begin));
}

void WeightedKernel::unpack(const Tensor& gradient, int64_t count, Tensor& target, int thread) {
  const Variant& v = variants_.at(count);
  engine_.run(
      v.unpack,
      {{DNNL_ARG_FROM, &v.primitives.d_weights, gradient.raw()}, {DNNL_ARG_TO, &plain_, target.raw()}},
      thread);
}

void WeightedKernel::fold_backward(int last) {
  const int64_t full = batch_.block;
  if (batch_.whole >= full) {
    const memory::desc& format =
        variant(full).primitives.d_weights;  // this rank may have a shorter block only
    if (folded_.weights.bytes() != static_cast<int64_t>(format.get_size()))
      folded_.weights = buffer_for(format);
    context_.cluster.fold(
        folded_.weights.span(), last, [&](int64_t begin, std::span<float> sum, bool begins) {
          const auto count = static_cast<int64_t>(sum.size());
          int64_t block = 0;
          if (begins) std::copy_n(gradients_[block++].weights.data<float>() + begin, count, sum.data());
          for (; block < batch_.samples / full; ++block)
            add(gradients_[block].weights.data<float>() + begin, sum.data(), count);
        });
  }
  if (!has_bias()) return;
  if (folded_.bias.empty()) folded_.bias = Tensor(context_.in_shape(2));
  context_.cluster.fold(folded_.bias.span(), last, [&](int64_t begin, std::span<float> sum, bool begins) {
    if (begins) std::fill(sum.begin(), sum.end(), 0.0F);
    for (const Gradients& g : gradients_)
      add(g.bias.data<float>() + begin, sum.data(), static_cast<int64_t>(sum.size()));
  });
}

void WeightedKernel::finish_folded(std::span<Tensor* const> d_in, int thread) {
  const bool has_full = batch_.whole >= batch_.block;
  if (has_full) unpack(folded_.weights, batch_.block, *d_in[1], thread);
  if (const int64_t rest = batch_.whole % batch_.block; rest > 0) {
    Tensor part(has_full ? d_in[1]->shape() : Shape{0});
    unpack(gradients_.back().weights, rest, has_full ? part : *d_in[1], thread);
    if (has_full) add(part.data<float>(), d_in[1]->data<float>(), part.elements());
  }
  if (has_bias()) std::copy_n(folded_.bias.data<float>(), d_in[2]->elements(), d_in[2]->data<float>());
}

void WeightedKernel::finish_backward(std::span<Tensor* const> d_in, int thread) {
  if (context_.cluster.is_alone())
    finish_alone(d_in, thread);
  else
    finish_folded(d_in, thread);
  const std::vector<float>& mask = weight_mask();
  for (size_t i = 0; i < mask.size(); ++i) d_in[1]->data<float>()[i] *= mask[i];
}

void WeightedKernel::finish_alone(std::span<Tensor* const> d_in, int thread) {
  const int64_t blocks = batch_.blocks();
  if (has_bias()) d_in[2]->fill(0);
  Tensor part;
  // Blocks of one size share a format: they are summed in it, then brought to the constant's order.
  for (int64_t first = 0, last = 0; first < blocks; first = last) {
    const int64_t count = batch_.count(first);
    for (last = first + 1; last < blocks && batch_.count(last) == count;) ++last;
    Tensor& sum = gradients_[first].weights;
    add_to_first(first, last);
    if (first > 0) part = Tensor(d_in[1]->shape());
    unpack(sum, count, first > 0 ? part : *d_in[1], thread);
    if (first > 0) add(part.data<float>(), d_in[1]->data<float>(), part.elements());
  }
  if (has_bias())
    for (const Gradients& g : gradients_)
      add(g.bias.data<float>(), d_in[2]->data<float>(), d_in[2]->elements());
}

}  // namespace n2d2::compute::onednn
