#include "n2d2/ops/nonlinearity.hpp"

#include "../samples.hpp"
#include "same_shape.hpp"

namespace n2d2::compute::onednn {

namespace {

/// What the library calls the function, and with which parameters.
struct Function {
  dnnl::algorithm algorithm;
  float alpha = 0, beta = 0;
  /// Values are kept inside after it. Such a function has no gradient here.
  std::optional<Clamp> bounds = {};
};

/// Nothing where the library has no such function.
std::optional<Function> function_of(const ops::Nonlinearity& op) {
  const auto alpha = static_cast<float>(op.alpha), beta = static_cast<float>(op.beta);
  switch (op.function) {
    case ops::Function::Logistic:
      return Function{dnnl::algorithm::eltwise_logistic};
    case ops::Function::Tanh:
      if (op.alpha != 1) return std::nullopt;
      return Function{dnnl::algorithm::eltwise_tanh};
    case ops::Function::Softplus:
      // The library's goes below 0 by 2e-6.
      return Function{dnnl::algorithm::eltwise_soft_relu, 0, 0, Clamp{0, Clamp{}.hi}};
    case ops::Function::Swish:
      return Function{dnnl::algorithm::eltwise_swish, alpha};
    case ops::Function::HardSigmoid:
      return Function{dnnl::algorithm::eltwise_linear, alpha, beta, Clamp{0, 1}};
    case ops::Function::HardSwish:
      if (alpha != static_cast<float>(1.0 / 6) || beta != 0.5F) return std::nullopt;
      return Function{dnnl::algorithm::eltwise_hardswish};
    case ops::Function::Elu:
      return Function{dnnl::algorithm::eltwise_elu, alpha};
    case ops::Function::Gelu:
      return Function{dnnl::algorithm::eltwise_gelu_erf};
    case ops::Function::GeluTanh:
      return Function{dnnl::algorithm::eltwise_gelu_tanh};
    default:
      break;
  }
  return std::nullopt;
}

class NonlinearityKernel final : public SameShapeKernel {
 public:
  NonlinearityKernel(const Maker& maker, const Function& function)
      : SameShapeKernel(maker), function_(function) {}

  void forward(const ForwardBlock& b) override {
    SameShapeKernel::forward(b);
    if (function_.bounds)
      apply_clamp(*function_.bounds, b.out[0], b.at.count * sample_size(context_.in_shape(0)));
  }

  void backward(const BackwardBlock& b) override {
    if (b.d_in[0]) run_backward(b, DNNL_ARG_SRC);
  }

 protected:
  SameShapePrimitives build(int64_t count) const override {
    const auto algorithm = function_.algorithm;
    const float alpha = function_.alpha, beta = function_.beta;
    SameShapePrimitives p;
    p.data = plain_desc({count * sample_size(context_.in_shape(0))});
    const dnnl::eltwise_forward::primitive_desc forward({forward_kind(), algorithm, p.data, alpha, beta},
                                                        attributes(), engine_.cpu());
    p.forward = make_primitive<dnnl::eltwise_forward>(forward);
    if (!context_.training) return p;
    const dnnl::eltwise_backward::primitive_desc backward({algorithm, p.data, p.data, alpha, beta},
                                                          attributes(), engine_.cpu(), forward);
    p.backward = make_primitive<dnnl::eltwise_backward>(backward);
    return p;
  }

 private:
  const Function function_;
};

}  // namespace

std::unique_ptr<Kernel> make_nonlinearity(const Maker& maker) {
  const auto function = function_of(*graph::as<ops::Nonlinearity>(maker.context.node));
  if (!function || (function->bounds && maker.context.training)) return nullptr;
  return std::make_unique<NonlinearityKernel>(maker, *function);
}

}  // namespace n2d2::compute::onednn
