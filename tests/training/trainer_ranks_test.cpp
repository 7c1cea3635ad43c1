// Ranks of a cluster learn what one process learns.
#include <gtest/gtest.h>

#include "n2d2/ops/prelu.hpp"
#include "n2d2/ops/target_bias.hpp"

#include "cluster/ranks.hpp"
#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

using Keys = std::map<std::string, std::string>;

/// What a run leaves behind.
struct Learnt {
  std::vector<Tensor> constants;
  TrainerState state;
  std::vector<float> successes;
  std::vector<double> metrics;
  RunResult result;
  friend bool operator==(const Learnt& a, const Learnt& b) {
    return a.constants == b.constants && a.state == b.state && a.successes == b.successes &&
           a.metrics == b.metrics && a.result.stimuli == b.result.stimuli &&
           a.result.updates == b.result.updates && a.result.interrupted == b.result.interrupted;
  }
};

struct Case {
  SmallNet (*net)();
  compute::Backend backend;
  int samples;
  int64_t batch;
  const char* solver = "SGD";
  bool by_stimuli = false;
};

Learnt learnt(const Case& c, const cluster::Cluster& cluster, int64_t stops_after = -1, int stopping = 0) {
  SmallNet net = c.net();
  const VectorSource source = stripes(c.samples, 21);
  TrainerOptions options = reference_options(c.batch);
  options.backend = c.backend;
  options.cluster = &cluster;
  options.log_stimuli = 60;
  Learnt out;
  int64_t batches = 0;
  TrainerCallbacks callbacks;
  callbacks.log = [&](const LogPoint& point) {
    const auto& now = point.learning->successes();
    out.successes.insert(out.successes.end(), now.begin(), now.end());
    if (point.validation) out.metrics.push_back(point.validation->metric);
  };
  callbacks.wants_stop = [&] {
    return ++batches > stops_after && stops_after >= 0 && cluster.rank() == stopping;
  };
  Trainer trainer(net.graph, net.solvers(c.solver, {{"LearningRate", "0.05"}}), net.targets(), options,
                  callbacks);
  out.result = c.by_stimuli ? trainer.learn_stimuli(source, 150) : trainer.learn_epochs(source, 2);
  out.state = trainer.state();
  out.constants = net.constants();
  return out;
}

void expect_same_on_ranks(const Case& c) {
  const Learnt expected = learnt(c, cluster::alone());
  EXPECT_GT(expected.result.updates, 1);
  for (const int size : {1, 2, 3, 4, 7}) {
    std::vector<Learnt> found(static_cast<size_t>(size));
    cluster::on_ranks(size, [&](const cluster::Cluster& cluster) {
      found[static_cast<size_t>(cluster.rank())] = learnt(c, cluster);
    });
    for (const Learnt& one : found)
      EXPECT_TRUE(one == expected) << size << " ranks, batches of " << c.batch << " of " << c.samples;
  }
}

/// Maps of 64 KiB: a block has fewer samples than a shard, and the last one may be shorter.
SmallNet net_of_large_maps() {
  SmallNet net(Shape{1, 1, 8, 8});
  net.conv("wide", 700, 3);
  net.batchnorm("norm");
  net.relu("relu");
  net.conv("narrow", 3, 3);
  net.fc("out", 3);
  net.softmax();
  return net;
}

SmallNet net_without_mixing() {
  SmallNet net(Shape{1, 1, 8, 8});
  net.conv("conv", 4, 3);
  net.batchnorm("norm", 0);
  net.add(std::make_unique<ops::PRelu>(), "prelu", {net.constant("slopes", Shape{1, 4, 1, 1}, 0.25F, true)});
  net.dropout("drop");
  net.fc("hidden", 9);
  net.relu("relu");
  net.fc("out", 3);
  net.softmax();
  return net;
}

TEST(TrainerRanks, LearnTheBytesOfOneProcess) {
  for (const auto& [samples, batch] :
       std::vector<std::pair<int, int64_t>>{{128, 64}, {100, 48}, {83, 33}, {40, 16}})
    expect_same_on_ranks({stripes_net, compute::Backend::OneDnn, samples, batch});
}

TEST(TrainerRanks, LearnThemInBlocksThatAreShorterThanShards) {
  expect_same_on_ranks({net_of_large_maps, compute::Backend::OneDnn, 53, 37});
}

TEST(TrainerRanks, LearnThemWithAnySolverAndOrder) {
  expect_same_on_ranks({stripes_net, compute::Backend::OneDnn, 83, 33, "Adam"});
  expect_same_on_ranks({stripes_net, compute::Backend::OneDnn, 83, 33, "SGD", true});
}

TEST(TrainerRanks, LearnThemWithOperatorsThatHaveNoPrimitives) {
  expect_same_on_ranks({net_without_mixing, compute::Backend::OneDnn, 83, 40});
}

TEST(TrainerRanks, StopAfterTheSameBatch) {
  const Case c{stripes_net, compute::Backend::OneDnn, 128, 64};
  std::vector<Learnt> found(3);
  cluster::on_ranks(3, [&](const cluster::Cluster& cluster) {
    found[static_cast<size_t>(cluster.rank())] = learnt(c, cluster, 1, 2);
  });
  EXPECT_TRUE(found[0].result.interrupted);
  EXPECT_EQ(found[0].result.stimuli, 128);
  EXPECT_TRUE(found[0] == found[1] && found[0] == found[2]);
}

TEST(TrainerRanks, EndWhenTheyAreNotEqual) {
  SmallNet nets[] = {stripes_net(), stripes_net()};
  nets[1].graph.mutable_constant(nets[1].learnt[0]).span()[0] += 0.5F;
  const auto learn = [&](const cluster::Cluster& cluster) {
    SmallNet& net = nets[cluster.rank()];
    TrainerOptions options = reference_options(32);
    options.backend = compute::Backend::OneDnn;
    options.cluster = &cluster;
    Trainer(net.graph, net.solvers("SGD", {}), net.targets(), options).learn_epochs(stripes(32), 1);
  };
  try {
    cluster::on_ranks(2, learn);
    FAIL() << "ranks may differ";
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).find("rank 1 (b): weights after 32 stimuli '"), 0U) << error.what();
  }
}

TEST(TrainerRanks, RefuseLayersThatKnowTheClassesOfTheBatch) {
  const auto learn = [&](const cluster::Cluster& cluster) {
    SmallNet net(Shape{1, 1, 8, 8});
    net.fc("fc", 3);
    net.add(std::make_unique<ops::TargetBias>(), "bias", {net.constant("classes", Shape{32}, -1, false)});
    net.softmax();
    TrainerOptions options = reference_options(32);
    options.cluster = &cluster;
    Trainer(net.graph, net.solvers("SGD", {}), net.targets(), options);
  };
  try {
    cluster::on_ranks(2, learn);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "net.ini:1: [bias] TargetBias: a rank knows the classes of its samples alone\n"
                 "  hint: one process learns it: '-cluster alone'");
  }
}

TEST(TrainerRanks, RefuseLayersThatNeedTheWholeBatch) {
  const auto learn = [&](const cluster::Cluster& cluster) {
    SmallNet net = stripes_net();
    TrainerOptions options = reference_options(32);
    options.cluster = &cluster;
    Trainer(net.graph, net.solvers("SGD", {}), net.targets(), options);
  };
  try {
    cluster::on_ranks(2, learn);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "net.ini:1: [norm] BatchNorm: needs the whole batch, of which a rank has a part\n"
                 "  hint: one process learns it: '-cluster alone'");
  }
}

}  // namespace
}  // namespace n2d2::training
