#include "n2d2/ops/elemwise.hpp"

#include "channel_loops.hpp"
#include "kernels.hpp"

namespace n2d2::compute::onednn {

namespace {

class ElemWiseKernel final : public Kernel {
 public:
  ElemWiseKernel(const KernelContext& context, const ops::ElemWise& op)
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

}  // namespace

std::unique_ptr<Kernel> make_elemwise(const Maker& maker) {
  return std::make_unique<ElemWiseKernel>(maker.context, *graph::as<ops::ElemWise>(maker.context.node));
}

}  // namespace n2d2::compute::onednn
