#include "n2d2/ops/batchnorm.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/cluster/message.hpp"

#include "../samples.hpp"
#include "channel_loops.hpp"
#include "kernels.hpp"

namespace n2d2::compute::onednn {

namespace {

/// Statistics are gathered per block about a pivot and merged in block order (Chan, Golub, LeVeque 1979),
/// which a library call for the whole batch could not do without depending on the number of threads. The
/// clamp of the node is part of the same pass over memory.
class BatchNormKernel final : public Kernel {
 public:
  BatchNormKernel(const KernelContext& context, const ops::BatchNorm& op)
      : context_(context),
        op_(op),
        of_batch_(context.training && op.mixes_samples()),
        clamp_(context.node.clamp.value_or(Clamp{})),
        channels_(context.in_shape(0).c()),
        pixels_(context.in_shape(0).h() * context.in_shape(0).w()),
        mean_(static_cast<size_t>(channels_)),
        inverse_(mean_.size()),
        factor_(mean_.size()),
        slope_(mean_.size()),
        shift_(mean_.size()),
        total_(mean_.size()),
        total_product_(mean_.size()) {}

  bool mixes() const override { return of_batch_; }
  bool clamps_forward() const override { return true; }
  bool clamps_backward() const override { return true; }
  bool backward_in_place() const override { return true; }

  void begin_forward(const Batch& batch, int) override {
    cut(batch);
    if (!of_batch_) use_statistics(constant(3), constant(4));
  }

  void gather(const ForwardBlock& b) override {
    Sums& sums = blocks_[b.at.index];
    std::copy_n(b.in[0], channels_, sums.pivot.data());
    channel_moments(b.in[0], sums.pivot.data(), b.at.count * pixels_, channels_, sums.first.data(),
                    sums.second.data());
  }

  void combine() override {
    gather_ranks();
    Tensor mean(Shape{channels_}), variance(Shape{channels_});
    for (int64_t c = 0; c < channels_; ++c) {
      double count = 0, center = 0, squares = 0;
      for (const Sums& b : of_all()) {
        const double n = static_cast<double>(b.samples * pixels_), shift = b.first[c] / n;
        const double distance = b.pivot[c] + shift - center;
        squares += b.second[c] - b.first[c] * shift + distance * distance * count * n / (count + n);
        center += distance * n / (count + n);
        count += n;
      }
      mean.data<float>()[c] = static_cast<float>(center);
      variance.data<float>()[c] = static_cast<float>(std::max(squares, 0.0) / count);
    }
    saved_.clear();
    saved_.push_back(std::move(mean));
    saved_.push_back(std::move(variance));
    use_statistics(saved_[0].data<float>(), saved_[1].data<float>());
  }

  void forward(const ForwardBlock& b) override {
    channel_affine(b.in[0], mean_.data(), factor_.data(), b.in[2], clamp_, b.at.count * pixels_, channels_,
                   b.out[0]);
  }

  void gather_backward(const BackwardBlock& b) override {
    Sums& sums = blocks_[b.at.index];
    channel_gradient_sums(b.d_out[0], b.in[0], mean_.data(), factor_.data(), b.in[2], clamp_,
                          b.at.count * pixels_, channels_, sums.first.data(), sums.second.data());
  }

  void combine_backward() override {
    gather_ranks();
    add_blocks();
    const double count = static_cast<double>(batch_.whole * pixels_);
    for (size_t c = 0; c < mean_.size(); ++c) {
      slope_[c] = static_cast<float>(-factor_[c] * inverse_[c] * inverse_[c] * total_product_[c] / count);
      shift_[c] = static_cast<float>(-factor_[c] * total_[c] / count);
    }
  }

  void begin_backward(const Batch& batch, int) override {
    cut(batch);
    std::fill(slope_.begin(), slope_.end(), 0.0F);
    std::fill(shift_.begin(), shift_.end(), 0.0F);
  }

  void backward(const BackwardBlock& b) override {
    if (!of_batch_) gather_backward(b);
    if (!b.d_in[0]) return;
    const int64_t pixels = b.at.count * pixels_;
    if (b.d_in[0] != b.d_out[0]) std::copy_n(b.d_out[0], pixels * channels_, b.d_in[0]);
    channel_gradient(b.d_in[0], b.in[0], mean_.data(), factor_.data(), b.in[2], clamp_, slope_.data(),
                     shift_.data(), pixels, channels_);
  }

  void fold_backward(int) override {
    if (!of_batch_) gather_ranks();
  }

  void finish_backward(std::span<Tensor* const> d_in, int) override {
    if (!of_batch_) add_blocks();
    for (size_t c = 0; c < mean_.size(); ++c) {
      d_in[1]->data<float>()[c] = static_cast<float>(total_product_[c] * inverse_[c]);
      d_in[2]->data<float>()[c] = static_cast<float>(total_[c]);
    }
  }

  const std::vector<Tensor>& saved() const override { return saved_; }

 private:
  /// Sums of one block for each channel. Forward: sum and sum of squares of x - pivot. Backward: sum of the
  /// gradient d, and sum of d (x - mean).
  struct Sums {
    int64_t samples = 0;
    std::vector<float> pivot;
    std::vector<double> first, second;
    void resize(size_t channels) {
      pivot.resize(channels);
      first.resize(channels);
      second.resize(channels);
    }
  };

  void cut(const Batch& batch) {
    batch_ = batch;
    blocks_.resize(static_cast<size_t>(batch.blocks()));
    for (size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i].samples = batch.count(static_cast<int64_t>(i));
      blocks_[i].resize(mean_.size());
    }
  }

  /// The sums of the blocks of all ranks, in their order.
  const std::vector<Sums>& of_all() const { return context_.cluster.is_alone() ? blocks_ : of_all_ranks_; }
  void gather_ranks() {
    if (context_.cluster.is_alone()) return;
    cluster::Writer own;
    own.put<uint64_t>(blocks_.size());
    for (const Sums& block : blocks_) {
      own.put(block.samples);
      own.put_all(std::span<const float>(block.pivot));
      own.put_all(std::span<const double>(block.first));
      own.put_all(std::span<const double>(block.second));
    }
    of_all_ranks_.clear();
    for (const cluster::Bytes& bytes : context_.cluster.gather(own.bytes())) {
      cluster::Reader from(bytes);
      for (auto left = from.get<uint64_t>(); left > 0; --left) {
        Sums& block = of_all_ranks_.emplace_back();
        block.samples = from.get<int64_t>();
        block.pivot = from.get_all<float>();
        block.first = from.get_all<double>();
        block.second = from.get_all<double>();
      }
    }
  }

  const float* constant(size_t slot) const {
    return context_.graph.value(context_.node.inputs[slot]).constant->data<float>();
  }

  void use_statistics(const float* mean, const float* variance) {
    const float* scales = constant(1);
    for (size_t c = 0; c < mean_.size(); ++c) {
      mean_[c] = mean[c];
      inverse_[c] = 1 / std::sqrt(static_cast<double>(variance[c]) + op_.epsilon);
      factor_[c] = static_cast<float>(scales[c] * inverse_[c]);
    }
  }

  void add_blocks() {
    std::fill(total_.begin(), total_.end(), 0.0);
    std::fill(total_product_.begin(), total_product_.end(), 0.0);
    for (const Sums& block : of_all())
      for (size_t c = 0; c < mean_.size(); ++c) {
        total_[c] += block.first[c];
        total_product_[c] += block.second[c];
      }
  }

  const KernelContext& context_;
  const ops::BatchNorm& op_;
  const bool of_batch_;
  const Clamp clamp_;
  const int64_t channels_, pixels_;
  Batch batch_;
  std::vector<Sums> blocks_, of_all_ranks_;
  std::vector<float> mean_;
  std::vector<double> inverse_;
  std::vector<float> factor_, slope_, shift_;
  std::vector<double> total_, total_product_;
  std::vector<Tensor> saved_;
};

}  // namespace

std::unique_ptr<Kernel> make_batchnorm(const Maker& maker) {
  return std::make_unique<BatchNormKernel>(maker.context, *graph::as<ops::BatchNorm>(maker.context.node));
}

}  // namespace n2d2::compute::onednn
