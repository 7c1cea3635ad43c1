#include "learn_block.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "n2d2/base/parallel.hpp"
#include "n2d2/base/random.hpp"

#include "adam.hpp"
#include "soft_rounding.hpp"

namespace n2d2::quantize {

namespace {

constexpr int64_t kBatch = 16, kRunAtOnce = 32;
/// Share of the steps in which weights are free; the exponent of the pull, at their end and at the end.
constexpr double kFree = 0.2, kFirstPower = 20, kLastPower = 2;
/// Weight of the pull of all weights together against the error that the block had.
constexpr double kPull = 100;

/// Rate of biases in units of what rounding had shifted them by, against that of h.
constexpr double kBiasRate = 10;

/// Samples of one step: each element of the input is the exact or the rounded one.
Tensor mixed(const BlockSamples& samples, const std::vector<int64_t>& rows, uint64_t seed, int64_t step) {
  Tensor out = rows_of(samples.rounded, rows);
  const int64_t size = out.elements() / static_cast<int64_t>(rows.size());
  parallel_for(static_cast<int64_t>(rows.size()), [&](int64_t r, int) {
    Rng rng(seed, "drop", static_cast<uint64_t>(step), static_cast<uint64_t>(r));
    const float* exact = samples.exact.data<float>() + rows[static_cast<size_t>(r)] * size;
    float* to = out.data<float>() + r * size;
    constexpr int64_t kBits = 64;
    for (int64_t first = 0; first < size; first += kBits) {
      uint64_t choices = rng.next();
      for (int64_t i = first; i < std::min(size, first + kBits); ++i, choices >>= 1)
        if ((choices & 1) != 0) to[i] = exact[i];
    }
  });
  return out;
}

/// Gradient of the squared error, scaled.
Tensor gradient_of(const Tensor& found, const Tensor& wanted, double scale) {
  Tensor out(found.shape());
  for (int64_t i = 0; i < found.elements(); ++i)
    out.data<float>()[i] =
        static_cast<float>(2 * scale * (double{found.data<float>()[i]} - double{wanted.data<float>()[i]}));
  return out;
}

/// Biases that are learnt by Adam, in steps of what rounding had shifted them by.
class SoftBiases {
 public:
  SoftBiases(const Tensor& exact, const std::vector<float>& start, double rate)
      : values_(start.begin(), start.end()), means_(start.size()), squares_(start.size()) {
    for (size_t i = 0; i < start.size(); ++i)
      rate_ += std::abs(double{start[i]} - double{exact.data<float>()[i]});
    rate_ *= kBiasRate * rate / static_cast<double>(start.size());
  }
  void write(std::span<float> biases) const {
    for (size_t i = 0; i < values_.size(); ++i) biases[i] = static_cast<float>(values_[i]);
  }
  void learn(std::span<const float> gradient) {
    const AdamStep adam(++learnt_);
    for (size_t i = 0; i < values_.size(); ++i)
      values_[i] -= rate_ * adam.move(double{gradient[i]}, means_[i], squares_[i]);
  }

 private:
  std::vector<double> values_, means_, squares_;
  double rate_ = 0;
  int64_t learnt_ = 0;
};

}  // namespace

Tensor rows_of(const Tensor& all, const std::vector<int64_t>& rows) {
  const int64_t size = all.elements() / all.shape().n();
  Tensor out(all.shape().with_batch(static_cast<int64_t>(rows.size())));
  for (size_t i = 0; i < rows.size(); ++i)
    std::copy_n(all.data<float>() + rows[i] * size, size, out.data<float>() + static_cast<int64_t>(i) * size);
  return out;
}

void set_layer(graph::Graph& block, const BlockLayer& layer) {
  const RoundedLayer& r = layer.rounded;
  const size_t row = r.integers.size() / r.biases.size();
  const auto weights = block.mutable_constant(layer.weights).span<float>();
  for (size_t i = 0; i < r.integers.size(); ++i)
    weights[i] = static_cast<float>(r.integers[i]) * r.scales[r.scales.size() == 1 ? 0 : i / row];
  std::copy(r.biases.begin(), r.biases.end(), block.mutable_constant(layer.biases).span<float>().begin());
}

std::vector<Tensor> outputs_for(const graph::Graph& graph, const Tensor& samples,
                                const compute::ExecutorOptions& options) {
  compute::Executor executor(graph, options);
  std::vector<std::vector<float>> values(graph.outputs().size());
  for (int64_t first = 0; first < samples.shape().n(); first += kRunAtOnce) {
    std::vector<int64_t> rows(static_cast<size_t>(std::min(kRunAtOnce, samples.shape().n() - first)));
    std::iota(rows.begin(), rows.end(), first);
    executor.forward(rows_of(samples, rows));
    for (size_t i = 0; i < values.size(); ++i) {
      const Tensor found = executor.read(graph.outputs()[i]);
      values[i].insert(values[i].end(), found.span<float>().begin(), found.span<float>().end());
    }
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < values.size(); ++i)
    out.push_back(Tensor::from(graph.value(graph.outputs()[i]).type.shape.with_batch(samples.shape().n()),
                               std::move(values[i])));
  return out;
}

double block_error(const graph::Graph& block, const BlockSamples& samples,
                   const compute::ExecutorOptions& options) {
  const std::vector<Tensor> found = outputs_for(block, samples.rounded, options);
  double sum = 0;
  for (size_t i = 0; i < found.size(); ++i)
    for (int64_t k = 0; k < found[i].elements(); ++k) {
      const double off = double{found[i].data<float>()[k]} - double{samples.wanted[i].data<float>()[k]};
      sum += off * off;
    }
  return sum / static_cast<double>(samples.rounded.shape().n());
}

std::vector<BlockLayer> learn_block(graph::Graph block, const std::vector<BlockLayer>& layers,
                                    const BlockSamples& samples, double error, const Course& course,
                                    const compute::ExecutorOptions& options) {
  std::vector<SoftRounding> soft;
  std::vector<SoftBiases> biases;
  int64_t weights = 0;
  for (const BlockLayer& layer : layers) {
    soft.emplace_back(layer.exact_weights.span<float>(), layer.rounded);
    weights += soft.back().size();
    biases.emplace_back(layer.exact_biases, layer.rounded.biases, course.rate);
  }
  compute::ExecutorOptions learning = options;
  learning.training = true, learning.keep = compute::Keep::All;
  compute::Executor executor(block, learning);
  const int64_t all = samples.rounded.shape().n(), some = std::min(kBatch, all);
  const double scale = 1 / (static_cast<double>(some) * error);
  for (int64_t step = 0; step < course.steps; ++step) {
    Rng rng(options.seed, course.name, static_cast<uint64_t>(step));
    std::vector<int64_t> rows;
    for (int64_t i = 0; i < some; ++i)
      rows.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(all))));
    for (size_t i = 0; i < layers.size(); ++i) {
      soft[i].write(block.mutable_constant(layers[i].weights).span<float>());
      biases[i].write(block.mutable_constant(layers[i].biases).span<float>());
    }
    executor.forward(mixed(samples, rows, rng.next(), step), static_cast<uint64_t>(step));
    std::vector<compute::GradientSeed> seeds;
    for (size_t i = 0; i < block.outputs().size(); ++i)
      seeds.push_back({block.outputs()[i], gradient_of(executor.read(block.outputs()[i]),
                                                       rows_of(samples.wanted[i], rows), scale)});
    executor.backward(seeds);
    const double done = static_cast<double>(step) / static_cast<double>(course.steps);
    const double drawn = std::max(0.0, (done - kFree) / (1 - kFree));
    const double power = kLastPower + (kFirstPower - kLastPower) * 0.5 * (1 + std::cos(drawn * M_PI));
    const double pull = done < kFree ? 0 : kPull / static_cast<double>(weights);
    for (size_t i = 0; i < layers.size(); ++i) {
      soft[i].learn(executor.gradient(layers[i].weights).span<float>(), {course.rate, pull, power});
      biases[i].learn(executor.gradient(layers[i].biases).span<float>());
    }
  }
  std::vector<BlockLayer> out = layers;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].rounded.integers = soft[i].integers();
    biases[i].write(out[i].rounded.biases);
  }
  return out;
}

}  // namespace n2d2::quantize
