#include "moments.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/random.hpp"

#include "held_out.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

/// Elements whose products are added up with each other; larger windows are cut.
constexpr int64_t kMostInBlock = 1152;
/// Windows of a layer that are added up, of a sample at most, and that are held out.
constexpr int64_t kWindows = 6144, kMostOfSample = 96, kHeld = 192;

/// Adds x' x of `rows` windows of n elements, `stride` elements apart, to the upper triangle of `to`. Sums of
/// products of 8-bit integers of so few windows are exact in floats.
N2D2_CLONES
void add_products(const float* x, int64_t rows, int64_t stride, int64_t n, double* to) {
  constexpr int64_t kI = 4, kJ = 16;
  for (int64_t i = 0; i < n; i += kI)
    for (int64_t j = i / kJ * kJ; j < n; j += kJ) {
      float sums[kI][kJ] = {};
      const int64_t some_i = std::min(kI, n - i), some_j = std::min(kJ, n - j);
      if (some_i == kI && some_j == kJ) {
        for (int64_t r = 0; r < rows; ++r) {
          const float *a = x + r * stride + i, *b = x + r * stride + j;
          for (int64_t u = 0; u < kI; ++u)
            for (int64_t v = 0; v < kJ; ++v) sums[u][v] += a[u] * b[v];
        }
      } else {
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t u = 0; u < some_i; ++u)
            for (int64_t v = 0; v < some_j; ++v) sums[u][v] += x[r * stride + i + u] * x[r * stride + j + v];
      }
      for (int64_t u = 0; u < some_i; ++u)
        for (int64_t v = 0; v < some_j; ++v)
          if (j + v >= i + u) to[(i + u) * n + j + v] += static_cast<double>(sums[u][v]);
    }
}

/// A layer while it is gathered.
class Gatherer {
 public:
  Gatherer(std::string name, Windows windows, float unit, uint64_t seed, int64_t samples)
      : name_(std::move(name)), seed_(seed) {
    out_.windows = windows, out_.unit = unit;
    of_sample_ = std::clamp((kWindows + samples - 1) / samples, int64_t{1}, kMostOfSample);
    const int64_t size = windows.size(), taps = windows.taps();
    const int64_t step = size <= kMostInBlock ? size : std::max(taps, kMostInBlock / taps * taps);
    out_.sums.resize(static_cast<size_t>(windows.groups * size));
    for (int64_t g = 0; g < windows.groups; ++g)
      for (int64_t first = 0; first < size; first += step)
        out_.blocks.push_back({g, first, Matrix(std::min(step, size - first))});
    held_of_.resize(static_cast<size_t>(samples));
  }

  /// Sample `index` of those that are run.
  void take(int64_t index, std::span<const float> sample, Layout layout) {
    const Windows& w = out_.windows;
    const int64_t all = w.groups * w.size();
    const std::vector<int64_t> positions = drawn(index);
    std::vector<float> windows(positions.size() * static_cast<size_t>(all));
    for (size_t i = 0; i < positions.size(); ++i)
      w.read(sample, layout, positions[i], out_.unit, windows.data() + i * static_cast<size_t>(all));
    const std::lock_guard lock(mutex_);
    if (SampleChoice::is_held_out(index))
      held_of_[static_cast<size_t>(index)] = std::move(windows);
    else
      add(windows, static_cast<int64_t>(positions.size()));
  }

  /// Held windows in the order of samples, as many as are wanted, and everything else.
  LayerMoments finish() {
    const int64_t all = out_.windows.groups * out_.windows.size();
    const auto most = static_cast<size_t>(kHeld * all);
    size_t left = 0;
    for (const auto& held : held_of_) left += held.size();
    const size_t every = std::max<size_t>(1, left / static_cast<size_t>(all) / kHeld);
    size_t window = 0;
    for (const auto& held : held_of_)
      for (size_t at = 0; at < held.size(); at += static_cast<size_t>(all), ++window)
        if (window % every == 0 && out_.held.size() < most)
          out_.held.insert(out_.held.end(), held.begin() + static_cast<std::ptrdiff_t>(at),
                           held.begin() + static_cast<std::ptrdiff_t>(at) + all);
    out_.held_count = static_cast<int64_t>(out_.held.size()) / all;
    held_of_.clear();
    return std::move(out_);
  }

 private:
  std::vector<int64_t> drawn(int64_t index) const {
    const int64_t there = out_.windows.positions();
    std::vector<int64_t> out;
    if (there <= of_sample_) {
      for (int64_t i = 0; i < there; ++i) out.push_back(i);
      return out;
    }
    Rng rng(seed_, name_, 0, static_cast<uint64_t>(index));
    for (int64_t i = 0; i < of_sample_; ++i)
      out.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(there))));
    return out;
  }

  void add(const std::vector<float>& windows, int64_t rows) {
    const int64_t size = out_.windows.size(), all = out_.windows.groups * size;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < all; ++i)
        out_.sums[static_cast<size_t>(i)] += static_cast<double>(windows[static_cast<size_t>(r * all + i)]);
    for (MomentBlock& block : out_.blocks)
      add_products(windows.data() + block.group * size + block.first, rows, all, block.products.n,
                   block.products.values.data());
    out_.count += rows;
  }

  std::string name_;
  uint64_t seed_;
  int64_t of_sample_ = 1;
  LayerMoments out_;
  std::vector<std::vector<float>> held_of_;
  std::mutex mutex_;
};

}  // namespace

Matrix LayerMoments::covariance(const MomentBlock& block) const {
  const auto n = static_cast<double>(count);
  Matrix out(block.products.n);
  for (int64_t i = 0; i < out.n; ++i)
    for (int64_t j = i; j < out.n; ++j) {
      const double c = block.products.row(i)[j] / n -
                       mean(block.group, block.first + i) * mean(block.group, block.first + j);
      out.row(i)[j] = out.row(j)[i] = c;
    }
  return out;
}

std::vector<LayerMoments> gather_moments(const graph::Graph& simulated, const std::vector<std::string>& names,
                                         const std::vector<float>& units, int64_t samples,
                                         const BatchSource& source, const compute::ExecutorOptions& options) {
  const SampleChoice choice(samples);
  std::vector<std::unique_ptr<Gatherer>> gatherers;
  std::map<ValueId, std::vector<Gatherer*>> of_value;
  for (size_t i = 0; i < names.size(); ++i) {
    const graph::Node& node = simulated.node(simulated.find_node(names[i]).value());
    const std::optional<Windows> windows = windows_of(simulated, node);
    N2D2_CHECK(windows.has_value(), "'{}' has no windows", names[i]);
    gatherers.push_back(std::make_unique<Gatherer>(names[i], *windows, units[i], options.seed, choice.count));
    of_value[node.inputs.at(0)].push_back(gatherers.back().get());
  }
  compute::Executor executor(simulated, options);
  Tensor batch;
  int64_t read = 0, done = 0;
  for (int64_t index = 0; done < choice.count && source(index, batch); ++index) {
    const Tensor some = choice.of(batch, read, choice.count - done);
    read += batch.shape().n();
    if (some.empty()) continue;
    executor.forward(some, 0, [&](const compute::Observation& seen) {
      const auto found = of_value.find(seen.value);
      if (found == of_value.end()) return;
      const size_t size = seen.data.size() / static_cast<size_t>(seen.count);
      for (int64_t n = 0; n < seen.count; ++n)
        for (Gatherer* gatherer : found->second)
          gatherer->take(done + seen.first + n, seen.data.subspan(static_cast<size_t>(n) * size, size),
                         seen.layout);
    });
    done += some.shape().n();
  }
  std::vector<LayerMoments> out;
  for (const auto& gatherer : gatherers) out.push_back(gatherer->finish());
  return out;
}

}  // namespace n2d2::quantize
