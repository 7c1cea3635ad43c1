#include "n2d2/ops/fake_quantize.hpp"

#include <algorithm>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/nearest_whole.hpp"

#include "backend.hpp"
#include "samples.hpp"

namespace n2d2::compute {

namespace {

struct FixedGrid {
  float step, least, most;
};

N2D2_CLONES
void round_to_grid(const float* x, const FixedGrid& grid, int64_t count, float* y) {
  const float step = grid.step, least = grid.least, most = grid.most;  // y might be these
  for (int64_t i = 0; i < count; ++i)
    y[i] = nearest_whole(std::min(std::max(x[i] / step, least), most)) * step;
}

/// d_x may be d.
N2D2_CLONES
void pass_inside(const float* x, const float* d, const FixedGrid& grid, int64_t count, float* d_x) {
  const float step = grid.step, least = grid.least, most = grid.most;
  for (int64_t i = 0; i < count; ++i) {
    const float q = nearest_whole(std::min(std::max(x[i] / step, least - 1), most + 1));
    d_x[i] = q >= least && q <= most ? d[i] : 0.0F;
  }
}

/// One grid for all values: element by element, whatever the layout.
class FakeQuantizeKernel final : public Kernel {
 public:
  FakeQuantizeKernel(const KernelContext& context, const ops::FakeQuantize& op)
      : grid_{op.step(0), static_cast<float>(op.steps(0).least), static_cast<float>(op.steps(0).most)},
        size_(sample_size(context.in_shape(0))) {}

  bool backward_in_place() const override { return true; }
  void forward(const ForwardBlock& b) override {
    round_to_grid(b.in[0], grid_, b.at.count * size_, b.out[0]);
  }
  void backward(const BackwardBlock& b) override {
    if (b.d_in[0] != nullptr) pass_inside(b.in[0], b.d_out[0], grid_, b.at.count * size_, b.d_in[0]);
  }
  void finish_backward(std::span<Tensor* const>, int) override {}

 private:
  const FixedGrid grid_;
  const int64_t size_;
};

}  // namespace

std::unique_ptr<Kernel> make_fake_quantize(const KernelContext& context) {
  const auto* op = graph::as<ops::FakeQuantize>(context.node);
  if (op == nullptr || op->scale.size() != 1 || op->zero_point.size() != 1) return nullptr;
  return std::make_unique<FakeQuantizeKernel>(context, *op);
}

}  // namespace n2d2::compute
