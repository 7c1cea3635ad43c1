// Ranks of a cluster score what one process scores.
#include <gtest/gtest.h>

#include "n2d2/training/evaluate.hpp"

#include "cluster/ranks.hpp"
#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

/// Everything that a caller of evaluate() can see.
struct Seen {
  std::vector<std::vector<float>> successes, top_n;
  std::vector<std::string> confusion;
  std::vector<std::vector<int>> decisions;
  std::vector<std::pair<int64_t, double>> progress;
  std::vector<double> errors;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen evaluated(const SmallNet& net, const std::vector<TrainingTarget>& targets, compute::Backend backend,
               int64_t samples, int64_t batch, const cluster::Cluster& cluster, int64_t stops_at = -1) {
  Seen out;
  compute::Executor executor(net.graph, {backend, false, 0});
  int64_t last = 0;
  const auto scores = evaluate(
      executor, stripes(static_cast<int>(samples)), data::Partition::Test, data::in_order(samples), targets,
      batch,
      [&](int64_t done, int64_t, std::span<const data::Score> now) {
        out.progress.emplace_back(done, now.front().recognition_rate());
        out.decisions.push_back(now.front().decisions());
        last = done;
      },
      [&] { return stops_at >= 0 && last >= stops_at && cluster.rank() == cluster.size() - 1; }, cluster);
  for (const data::Score& score : scores) {
    out.successes.push_back(score.successes());
    out.top_n.push_back(score.top_n_successes());
    out.confusion.push_back(score.confusion().text());
    out.errors.push_back(score.mean_squared_error());
  }
  return out;
}

TEST(EvaluateRanks, GiveTheScoresOfOneProcess) {
  const SmallNet net = stripes_net();
  data::TargetOptions two;
  two.top_n = 2;
  const std::vector<TrainingTarget> targets{net.target(two), net.target()};
  for (const compute::Backend backend : {compute::Backend::Reference, compute::Backend::OneDnn})
    for (const auto& counts : std::vector<std::pair<int64_t, int64_t>>{{50, 16}, {33, 8}, {5, 64}}) {
      const int64_t samples = counts.first, batch = counts.second;
      const Seen expected = evaluated(net, targets, backend, samples, batch, cluster::alone());
      EXPECT_EQ(expected.progress.back().first, samples);
      for (const int size : {1, 2, 3, 4}) {
        std::vector<Seen> seen(static_cast<size_t>(size));
        cluster::on_ranks(size, [&](const cluster::Cluster& cluster) {
          seen[static_cast<size_t>(cluster.rank())] =
              evaluated(net, targets, backend, samples, batch, cluster);
        });
        for (const Seen& one : seen)
          EXPECT_TRUE(one == expected)
              << samples << " samples, " << batch << " a batch, " << size << " ranks";
      }
    }
}

TEST(EvaluateRanks, StopTogetherWhenOneOfThemWantsTo) {
  const SmallNet net = stripes_net();
  const std::vector<TrainingTarget> targets{net.target()};
  std::vector<Seen> seen(3);
  cluster::on_ranks(3, [&](const cluster::Cluster& cluster) {
    seen[static_cast<size_t>(cluster.rank())] =
        evaluated(net, targets, compute::Backend::Reference, 100, 8, cluster, 20);
  });
  EXPECT_EQ(seen[0].progress.size(), 3U);
  EXPECT_EQ(seen[0].progress.back().first, 24);
  EXPECT_TRUE(seen[0] == seen[1] && seen[0] == seen[2]);
}

}  // namespace
}  // namespace n2d2::training
