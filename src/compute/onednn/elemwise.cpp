#include "n2d2/ops/elemwise.hpp"

#include <algorithm>
#include <cmath>

#include "../samples.hpp"
#include "channel_loops.hpp"
#include "kernels.hpp"

namespace n2d2::compute::onednn {

namespace {

/// Sums of operands of one size.
class WeightedSumKernel final : public Kernel {
 public:
  WeightedSumKernel(const KernelContext& context, const ops::ElemWise& op)
      : channels_(context.out_shape().c()), pixels_(context.out_shape().h() * context.out_shape().w()) {
    for (size_t i = 0; i < context.node.inputs.size(); ++i) {
      Coefficients& k = coefficients_.emplace_back();
      for (int64_t c = 0; c < channels_; ++c) {
        k.weight.push_back(static_cast<float>(op.weight(i, c)));
        k.shift.push_back(static_cast<float>(op.shift(i, c)));
        k.zero.push_back(0);
      }
    }
  }

  void forward(const ForwardBlock& b) override {
    for (size_t i = 0; i < b.in.size(); ++i)
      channel_weighted(b.in[i], coefficients_[i].weight.data(), coefficients_[i].shift.data(), i > 0,
                       b.at.count * pixels_, channels_, b.out[0]);
  }

  void backward(const BackwardBlock& b) override {
    for (size_t i = 0; i < b.d_in.size(); ++i)
      if (b.d_in[i])
        channel_weighted(b.d_out[0], coefficients_[i].weight.data(), coefficients_[i].zero.data(), false,
                         b.at.count * pixels_, channels_, b.d_in[i]);
  }

  void finish_backward(std::span<Tensor* const>, int) override {}

 private:
  struct Coefficients {
    std::vector<float> weight, shift, zero;
  };
  const int64_t channels_, pixels_;
  std::vector<Coefficients> coefficients_;
};

/// Operands of which some repeat their elements, or are constants; without gradient. The output begins as the
/// first operand and takes in one after the other.
class BinaryKernel final : public Kernel {
 public:
  /// `order`: the operands as they are taken in; the first has the output's shape.
  BinaryKernel(const Maker& maker, const ops::ElemWise& op, std::vector<size_t> order)
      : engine_(maker.engine), context_(maker.context), op_(op), order_(std::move(order)) {
    constants_.resize(order_.size());
    for (const size_t slot : order_)
      if (context_.is_parameter(slot)) constants_[slot] = Tensor(context_.in_shape(slot));
  }

  void begin_forward(const Batch& batch, int) override {
    read_constants();
    try {
      for (const int64_t count : counts_of(batch))
        variants_.get(count, [this](int64_t samples) {
          const SingleThread single;
          return build(samples);
        });
    } catch (const dnnl::error& error) {
      rethrow(error, context_.node);
    }
  }

  void forward(const ForwardBlock& b) override {
    const Variant& variant = variants_.at(b.at.count);
    const float* sum = b.in[order_[0]];
    for (const Step& step : variant.steps) {
      engine_.run(step.primitive,
                  {{DNNL_ARG_SRC_0, &variant.out, sum},
                   {DNNL_ARG_SRC_1, &step.operand, data(step.slot, b)},
                   {DNNL_ARG_DST, &variant.out, b.out[0]}},
                  b.at.thread);
      sum = b.out[0];
    }
  }

  void backward(const BackwardBlock&) override {
    throw InternalError("a kernel of inference is trained", __FILE__, __LINE__);
  }
  void finish_backward(std::span<Tensor* const>, int) override {}

 private:
  void read_constants() {
    for (const size_t slot : order_)
      if (context_.is_parameter(slot))
        copy_samples(context_.graph.value(context_.node.inputs[slot]).constant->data<float>(), Layout::Nchw,
                     constants_[slot].data<float>(), Layout::Nhwc, context_.in_shape(slot), 1);
  }

  struct Step {
    size_t slot = 0;
    memory::desc operand;
    Primitive primitive;
  };
  struct Variant {
    memory::desc out;
    std::vector<Step> steps;
  };

  const float* data(size_t slot, const ForwardBlock& b) const {
    return context_.is_parameter(slot) ? constants_[slot].data<float>() : b.in[slot];
  }

  dnnl::algorithm algorithm() const {
    switch (op_.operation) {
      case ops::ElemWiseOperation::Prod:
        return dnnl::algorithm::binary_mul;
      case ops::ElemWiseOperation::Max:
        return dnnl::algorithm::binary_max;
      case ops::ElemWiseOperation::Min:
        return dnnl::algorithm::binary_min;
      case ops::ElemWiseOperation::Div:
        return dnnl::algorithm::binary_div;
      default:
        return dnnl::algorithm::binary_add;
    }
  }

  Variant build(int64_t count) const {
    Variant variant{map_desc(context_.out_shape(), count), {}};
    for (size_t k = 1; k < order_.size(); ++k) {
      const size_t slot = order_[k];
      Step step;
      step.slot = slot;
      step.operand = map_desc(context_.in_shape(slot), context_.is_parameter(slot) ? 1 : count);
      dnnl::primitive_attr scaled = attributes();
      if (op_.operation == ops::ElemWiseOperation::Sum) {
        scaled.set_scales(DNNL_ARG_SRC_0, 0, {k == 1 ? static_cast<float>(op_.weight(order_[0], 0)) : 1.0F});
        scaled.set_scales(DNNL_ARG_SRC_1, 0, {static_cast<float>(op_.weight(slot, 0))});
      }
      step.primitive = make_primitive<dnnl::binary>(
          {{algorithm(), variant.out, step.operand, variant.out}, scaled, engine_.cpu()});
      variant.steps.push_back(std::move(step));
    }
    return variant;
  }

  Engine& engine_;
  const KernelContext& context_;
  const ops::ElemWise& op_;
  const std::vector<size_t> order_;
  std::vector<Tensor> constants_;
  PerCount<Variant> variants_;
};

bool all_of_one_size(const KernelContext& context) {
  for (size_t i = 0; i < context.node.inputs.size(); ++i)
    if (context.is_parameter(i) || !(context.in_shape(i) == context.out_shape())) return false;
  return true;
}

/// Whether each operand has one weight and no shift.
bool only_weighs(const ops::ElemWise& op, const KernelContext& context) {
  for (size_t i = 0; i < context.node.inputs.size(); ++i)
    for (int64_t c = 0; c < context.out_shape().c(); ++c)
      if (op.shift(i, c) != 0 || op.weight(i, c) != op.weight(i, 0)) return false;
  return true;
}

/// The operands, one of the output's shape first; empty when there is none, or it may not be first.
std::vector<size_t> order_of(const ops::ElemWise& op, const KernelContext& context) {
  std::vector<size_t> order;
  for (size_t i = 0; i < context.node.inputs.size(); ++i) order.push_back(i);
  const auto whole = std::find_if(order.begin(), order.end(), [&](size_t i) {
    return !context.is_parameter(i) && context.in_shape(i) == context.out_shape();
  });
  const bool fixed = op.operation == ops::ElemWiseOperation::Div;
  if (whole == order.end() || (fixed && whole != order.begin())) return {};
  std::rotate(order.begin(), whole, whole + 1);
  return order;
}

}  // namespace

std::unique_ptr<Kernel> make_elemwise(const Maker& maker) {
  const KernelContext& context = maker.context;
  const auto& op = *graph::as<ops::ElemWise>(context.node);
  const bool sum = op.operation == ops::ElemWiseOperation::Sum;
  if (sum && all_of_one_size(context)) return std::make_unique<WeightedSumKernel>(context, op);
  const bool has_binary = sum ? only_weighs(op, context) : !op.has_coefficients();
  if (context.training || !has_binary || context.node.inputs.size() < 2) return nullptr;
  std::vector<size_t> order = order_of(op, context);
  return order.empty() ? nullptr : std::make_unique<BinaryKernel>(maker, op, std::move(order));
}

}  // namespace n2d2::compute::onednn
