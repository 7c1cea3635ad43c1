#include "n2d2/training/evaluate.hpp"

#include <gtest/gtest.h>

#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

/// Output = input: the first channel that is largest is the decision.
SmallNet identity_net() {
  SmallNet net(Shape{1, 3, 1, 1});
  net.fc("out", 3);
  net.graph.mutable_constant(net.learnt[0]) = Tensor::from(Shape{3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  return net;
}

/// Decisions 0, 1, 2, 0, 1; labels 0, 1, 1, 2, ignored.
VectorSource five_samples() {
  std::vector<Tensor> samples;
  for (const std::vector<float>& v :
       std::vector<std::vector<float>>{{3, 2, 1}, {1, 3, 2}, {1, 2, 3}, {3, 1, 2}, {1, 3, 2}})
    samples.push_back(Tensor::from(Shape{1, 3, 1, 1}, v));
  return {std::move(samples), {0, 1, 1, 2, -1}};
}

TEST(Evaluate, CountsDecisionsAndTopN) {
  const SmallNet net = identity_net();
  data::TargetOptions options;
  options.top_n = 2;
  const std::vector<TrainingTarget> targets{net.target(options)};
  compute::Executor executor(net.graph, {compute::Backend::Reference, false, 0});
  std::vector<std::pair<int64_t, int64_t>> seen;
  const auto scores = evaluate(executor, five_samples(), data::Partition::Test, {0, 1, 2, 3, 4}, targets, 2,
                               [&](int64_t done, int64_t total, std::span<const data::Score> so_far) {
                                 seen.emplace_back(done, total);
                                 EXPECT_EQ(so_far.size(), 1U);
                               });
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_EQ(scores[0].samples(), 4);
  EXPECT_DOUBLE_EQ(scores[0].recognition_rate(), 0.5);
  EXPECT_DOUBLE_EQ(scores[0].top_n_rate(), 1);
  EXPECT_EQ(scores[0].confusion().count(1, 2), 1);
  EXPECT_EQ(scores[0].confusion().count(2, 0), 1);
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int64_t>>{{2, 5}, {4, 5}, {5, 5}}));
}

TEST(Evaluate, TakesOnlyThePositionsAskedFor) {
  const SmallNet net = identity_net();
  const std::vector<TrainingTarget> targets{net.target(), net.target()};
  compute::Executor executor(net.graph, {compute::Backend::Reference, false, 0});
  const auto scores = evaluate(executor, five_samples(), data::Partition::Test, {1, 3}, targets, 8);
  ASSERT_EQ(scores.size(), 2U);
  for (const data::Score& score : scores) {
    EXPECT_EQ(score.successes(), (std::vector<float>{1, 0}));
  }
}

TEST(Evaluate, LeavesTheNetworkAsItIs) {
  const SmallNet net = stripes_net();
  const std::vector<Tensor> before = net.constants();
  compute::Executor executor(net.graph, {compute::Backend::Reference, false, 0});
  const auto once =
      evaluate(executor, stripes(30), data::Partition::Test, data::in_order(30), net.targets(), 30);
  const auto again =
      evaluate(executor, stripes(30), data::Partition::Test, data::in_order(30), net.targets(), 7);
  EXPECT_EQ(once[0].successes(), again[0].successes());
  EXPECT_TRUE(before == net.constants());
}

}  // namespace
}  // namespace n2d2::training
