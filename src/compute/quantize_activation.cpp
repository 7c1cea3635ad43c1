#include "n2d2/ops/quantize_activation.hpp"

#include <algorithm>
#include <cstring>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/nearest_whole.hpp"

#include "backend.hpp"
#include "samples.hpp"

namespace n2d2::compute {

namespace {

using Grid = ops::QuantizeActivation::Grid;

N2D2_CLONES
void round_values(const float* x, const Grid& grid, int64_t count, float* y) {
  const float step = grid.step, low = grid.lowest, high = grid.highest;  // y might be these
  for (int64_t i = 0; i < count; ++i) y[i] = nearest_whole(std::min(std::max(x[i] / step, low), high)) * step;
}

N2D2_CLONES
void round_averages(const float* x, const Grid& grid, int64_t count, float* y) {
  const float step = grid.step, low = grid.lowest, high = grid.highest, parts = grid.parts;
  for (int64_t i = 0; i < count; ++i) {
    const float inside = std::min(std::max(x[i] / step, low), high);
    y[i] = nearest_whole(nearest_whole(inside * parts) / parts) * step;
  }
}

constexpr int kSums = 8, kPart = 256;

/// Whether a gradient passes (1 or 0), and what it adds to the gradient of the step.
template <bool IsSat>
inline void slopes_of(const float* __restrict x, const Grid& grid, int count, float* __restrict passes,
                      float* __restrict slope) {
  const float step = grid.step, low = grid.lowest, high = grid.highest, clip = grid.clip;
  for (int i = 0; i < count; ++i) {
    const float v = x[i] / step, rest = nearest_whole(std::min(std::max(v, low), high)) - v;
    const float not_low = IsSat ? (x[i] <= 0 ? 0.0F : 1.0F) : (v <= low ? 0.0F : 1.0F);
    const float not_high = IsSat ? (x[i] <= clip ? 1.0F : 0.0F) : (v >= high ? 0.0F : 1.0F);
    const float inside = not_low != 0 ? rest : low;
    slope[i] = (IsSat ? x[i] >= clip : v >= high) ? high : inside;
    passes[i] = not_low * not_high;
  }
}

/// Eight sums at once, the same ones for every width of vectors. d_x may be d.
template <bool IsSat>
inline double gradient_loop(const float* x, const float* d, const Grid& grid, int64_t count, float* d_x) {
  double sums[kSums] = {};
  float passes[kPart], slope[kPart];
  for (int64_t at = 0; at < count; at += kPart) {
    const int part = static_cast<int>(std::min<int64_t>(kPart, count - at));
    slopes_of<IsSat>(x + at, grid, part, passes, slope);
    int i = 0;
    // A product of two floats is exact in double: a fused sum has the same bits.
    for (; i + kSums <= part; i += kSums)
      for (int k = 0; k < kSums; ++k) sums[k] += double{d[at + i + k]} * double{slope[i + k]};
    for (int k = 0; i < part; ++i, ++k) sums[k] += double{d[at + i]} * double{slope[i]};
    if (d_x == nullptr) continue;
    for (i = 0; i < part; ++i) d_x[at + i] = passes[i] != 0 ? d[at + i] : 0.0F;
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

N2D2_CLONES
double sat_gradients(const float* x, const float* d, const Grid& grid, int64_t count, float* d_x) {
  return gradient_loop<true>(x, d, grid, count, d_x);
}

N2D2_CLONES
double lsq_gradients(const float* x, const float* d, const Grid& grid, int64_t count, float* d_x) {
  return gradient_loop<false>(x, d, grid, count, d_x);
}

/// The operator element by element, whatever the layout.
class QuantizeActivationKernel final : public Kernel {
 public:
  QuantizeActivationKernel(const KernelContext& context, const ops::QuantizeActivation& op)
      : context_(context), op_(op), size_(sample_size(context.in_shape(0))) {}

  bool backward_in_place() const override { return true; }

  void begin_forward(const Batch& batch, int) override {
    grid_ = op_.grid(context_.graph.value(context_.node.inputs[1]).constant->data<float>()[0]);
    samples_ = batch.whole;
  }
  void forward(const ForwardBlock& b) override {
    (op_.parts > 1 ? round_averages : round_values)(b.in[0], grid_, b.at.count * size_, b.out[0]);
  }

  void begin_backward(const Batch& batch, int) override {
    sums_.assign(static_cast<size_t>(batch.blocks()), 0.0);
  }
  void backward(const BackwardBlock& b) override {
    const auto gradients = op_.method == ops::QuantizeMethod::SAT ? sat_gradients : lsq_gradients;
    sums_[static_cast<size_t>(b.at.index)] =
        gradients(b.in[0], b.d_out[0], grid_, b.at.count * size_, b.d_in[0]);
  }
  void fold_backward(int) override {
    if (!context_.wanted[1]) return;
    const std::vector<double> own = std::move(sums_);
    sums_.clear();
    for (const cluster::Bytes& bytes : context_.cluster.gather(std::as_bytes(std::span(own)))) {
      const size_t first = sums_.size();
      sums_.resize(first + bytes.size() / sizeof(double));
      if (!bytes.empty()) std::memcpy(sums_.data() + first, bytes.data(), bytes.size());
    }
  }
  void finish_backward(std::span<Tensor* const> d_in, int) override {
    if (!d_in[1]) return;
    double sum = 0;
    for (const double part : sums_) sum += part;
    const double factor = op_.gradient_factor(static_cast<double>(samples_ * size_));
    d_in[1]->data<float>()[0] = static_cast<float>(sum * factor * grid_.sign);
  }

 private:
  const KernelContext& context_;
  const ops::QuantizeActivation& op_;
  const int64_t size_;
  Grid grid_;
  int64_t samples_ = 0;
  std::vector<double> sums_;
};

}  // namespace

std::unique_ptr<Kernel> make_quantize_activation(const KernelContext& context) {
  const auto* op = graph::as<ops::QuantizeActivation>(context.node);
  if (op == nullptr || op->measures) return nullptr;
  return std::make_unique<QuantizeActivationKernel>(context, *op);
}

}  // namespace n2d2::compute
