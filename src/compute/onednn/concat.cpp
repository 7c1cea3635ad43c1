#include "n2d2/ops/concat.hpp"

#include "kernels.hpp"

namespace n2d2::compute::onednn {

namespace {

/// Copies runs of channels, pixel by pixel.
class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(const KernelContext& context)
      : context_(context),
        channels_(context.out_shape().c()),
        pixels_(context.out_shape().h() * context.out_shape().w()) {}

  void forward(const ForwardBlock& b) override {
    float* to = b.out[0];
    for (size_t i = 0; i < b.in.size(); ++i) {
      const int64_t width = context_.in_shape(i).c();
      for (int64_t p = 0; p < b.at.count * pixels_; ++p)
        std::copy_n(b.in[i] + p * width, width, to + p * channels_);
      to += width;
    }
  }

  void backward(const BackwardBlock& b) override {
    const float* from = b.d_out[0];
    for (size_t i = 0; i < b.d_in.size(); ++i) {
      const int64_t width = context_.in_shape(i).c();
      if (b.d_in[i])
        for (int64_t p = 0; p < b.at.count * pixels_; ++p)
          std::copy_n(from + p * channels_, width, b.d_in[i] + p * width);
      from += width;
    }
  }

  void finish_backward(std::span<Tensor* const>, int) override {}

 private:
  const KernelContext& context_;
  const int64_t channels_, pixels_;
};

}  // namespace

std::unique_ptr<Kernel> make_concat(const Maker& maker) {
  return std::make_unique<ConcatKernel>(maker.context);
}

}  // namespace n2d2::compute::onednn
