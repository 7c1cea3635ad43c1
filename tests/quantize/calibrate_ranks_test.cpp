// Ranks of a cluster measure what one process measures.
#include <numeric>

#include <gtest/gtest.h>

#include "n2d2/cluster/shards.hpp"
#include "n2d2/quantize/calibrate.hpp"

#include "cluster/ranks.hpp"
#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::Ranges;

struct CalibrateRanks : ::testing::Test {
  Net net{Shape{1, 2, 5, 5}};
  Tensor samples = random_tensor(Shape{43, 2, 5, 5}, net.rng, -1, 1);

  CalibrateRanks() {
    ValueId x = net.conv("conv", net.data, 4, 3);
    net.graph.set_clamp(net.node("conv").id, Clamp{0, Clamp{}.hi});
    net.graph.set_outputs({net.fc("fc", net.pool("pool", x, ops::Pooling::Max, 2), 3)});
  }
  /// The batches of a rank, of `size` samples each.
  quantize::BatchSource batches(int64_t size, const cluster::Cluster& cluster) const {
    std::vector<int64_t> all(static_cast<size_t>(samples.shape().n()));
    std::iota(all.begin(), all.end(), 0);
    return [this, size, own = cluster::dealt_batches(all, size, cluster.rank(), cluster.size())](
               int64_t index, Tensor& batch) {
      const int64_t first = index * size, count = std::min(size, static_cast<int64_t>(own.size()) - first);
      if (count <= 0) return false;
      const int64_t elements = samples.elements() / samples.shape().n();
      batch = Tensor(samples.shape().with_batch(count));
      for (int64_t i = 0; i < count; ++i)
        std::copy_n(samples.span<float>().begin() + own[static_cast<size_t>(first + i)] * elements, elements,
                    batch.data<float>() + i * elements);
      return true;
    };
  }
  Ranges run(int64_t batch, const cluster::Cluster& cluster, compute::Backend backend) const {
    compute::Executor executor(net.graph, {.backend = backend, .keep = compute::Keep::Outputs});
    return quantize::calibrate(net.graph, executor, batches(batch, cluster), {}, {}, cluster);
  }
};

TEST_F(CalibrateRanks, MeasureTheBytesOfOneProcess) {
  const auto values = samples.span<float>();
  std::fill_n(values.begin() + 7 * 50, 50, 0.25F);  // samples without content
  std::fill_n(values.begin() + 30 * 50, 50, 0.5F);
  for (const compute::Backend backend : {compute::Backend::Reference, compute::Backend::OneDnn})
    for (const int64_t batch : {4, 16, 64}) {
      const Ranges expected = run(batch, cluster::alone(), backend);
      EXPECT_EQ(expected.constant_samples, (std::vector<int64_t>{7, 30}));
      for (const int size : {1, 2, 3, 4, 8}) {
        std::vector<Ranges> found(static_cast<size_t>(size));
        cluster::on_ranks(size, [&](const cluster::Cluster& cluster) {
          found[static_cast<size_t>(cluster.rank())] = run(batch, cluster, backend);
        });
        for (const Ranges& one : found)
          EXPECT_TRUE(one == expected) << size << " ranks, batches of " << batch;
      }
    }
}

TEST_F(CalibrateRanks, NameTheSampleThatIsNotFinite) {
  samples.span<float>()[29 * 50 + 3] = NAN;
  samples.span<float>()[37 * 50 + 3] = NAN;
  const auto failing = [&] {
    cluster::on_ranks(3,
                      [&](const cluster::Cluster& cluster) { run(4, cluster, compute::Backend::Reference); });
  };
  try {
    failing();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(
        error.what(),
        "network input 'data': expected finite values, got infinity or NaN for calibration sample 29\n"
        "  hint: check the weights, and the transformations of the data");
  }
}

TEST_F(CalibrateRanks, NeedSamplesTogether) {
  EXPECT_THROW(
      cluster::on_ranks(2,
                        [&](const cluster::Cluster& cluster) {
                          compute::Executor executor(net.graph, {compute::Backend::Reference, false, 0});
                          quantize::measure(
                              net.graph, executor, [](int64_t, Tensor&) { return false; }, {}, cluster);
                        }),
      ConfigError);
}

}  // namespace
}  // namespace n2d2::testing
