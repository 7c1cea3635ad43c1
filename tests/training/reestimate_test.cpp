#include "n2d2/training/reestimate.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"

#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

constexpr double kRounding = 1e-6;  // of float32 values about 1

Reestimation options_of(int64_t batches, int64_t batch_size) {
  return {batches, batch_size, 3, compute::Backend::Reference};
}

std::vector<float> values_of(const graph::Graph& graph, const std::string& name) {
  const auto values = graph.value(*graph.find_value(name)).constant->span<float>();
  return {values.begin(), values.end()};
}

TEST(Reestimate, TakesTheMeanOverBatchesOfWhatTheyMeasure) {
  SmallNet net(Shape{1, 2, 1, 1});
  net.batchnorm("norm");
  net.fc("out", 2);
  const VectorSource source = xor_points(10);
  reestimate_statistics(net.graph, source, options_of(5, 4));
  ASSERT_EQ(source.opened.size(), 3U) << "two whole batches of an epoch of ten, then one";
  EXPECT_EQ(source.opened[2].epoch, 2U);
  EXPECT_EQ(source.opened[2].order.size(), 4U);
  std::array<double, 2> means{}, variances{};
  const auto opened = source.opened;
  for (const VectorSource::Opened& read : opened) {
    const auto stream = source.open(read.partition, read.order, 4, read.epoch);
    for (data::Batch batch; stream->next(batch);)
      for (size_t c = 0; c < 2; ++c) {
        double sum = 0, squares = 0;
        for (size_t n = 0; n < 4; ++n) sum += batch.data.span()[2 * n + c];
        for (size_t n = 0; n < 4; ++n) squares += std::pow(batch.data.span()[2 * n + c] - sum / 4, 2);
        means[c] += sum / 4 / 5;
        variances[c] += squares / 3 / 5;
      }
  }
  for (size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(values_of(net.graph, "norm_means")[c], means[c], kRounding);
    EXPECT_NEAR(values_of(net.graph, "norm_variances")[c], variances[c], kRounding);
  }
}

TEST(Reestimate, ChangesNothingElse) {
  SmallNet net = stripes_net();
  net.batchnorm("held", 0);
  const std::vector<Tensor> before = net.constants();
  EXPECT_EQ(reestimate_statistics(net.graph, stripes(20), options_of(3, 5)).size(), 2U);
  const std::vector<Tensor> after = net.constants();
  size_t changed = 0;
  for (size_t i = 0; i < before.size(); ++i) changed += before[i] == after[i] ? 0 : 1;
  EXPECT_EQ(changed, 2U);
  EXPECT_EQ(values_of(net.graph, "held_means"), std::vector<float>(3, 0.0F)) << "MovingAverageMomentum=0";
  EXPECT_NE(values_of(net.graph, "norm_means"), std::vector<float>(4, 0.0F));
}

TEST(Reestimate, DoesNotDependOnTheNumberOfThreads) {
  std::vector<std::vector<Tensor>> found;
  const int before = max_threads();
  for (const int threads : {1, 2, 3}) {
    set_max_threads(threads);
    SmallNet net = stripes_net();
    Reestimation options = options_of(4, 8);
    options.backend = compute::Backend::OneDnn;
    reestimate_statistics(net.graph, stripes(20), options);
    found.push_back(net.constants());
  }
  set_max_threads(before);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(Reestimate, FewSamplesAreOneBatch) {
  SmallNet net = stripes_net();
  EXPECT_TRUE(takes_statistics(net.graph));
  EXPECT_FALSE(takes_statistics(xor_net().graph));
  const VectorSource source = stripes(6);
  reestimate_statistics(net.graph, source, options_of(2, 64));
  ASSERT_EQ(source.opened.size(), 2U);
  EXPECT_EQ(source.opened[0].order.size(), 6U);
  EXPECT_THROW(reestimate_statistics(net.graph, VectorSource({}, {}), options_of(2, 64)), ConfigError);
}

}  // namespace
}  // namespace n2d2::training
