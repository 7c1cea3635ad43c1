#include <algorithm>
#include <map>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"

#include "cases.hpp"
#include "compute/network.hpp"

namespace n2d2::compute {
namespace {

using testing::Network;
using testing::random_tensor;

/// Branches that outlive several nodes, a second use far behind the first, and maps that shrink.
Network long_lives() {
  Network net({1, 3, 40, 40});
  net.conv(16, 3, 1, 1);
  const graph::ValueId early = net.last;
  net.add(ops::Relu());
  net.conv(16, 3, 1, 1);
  const graph::ValueId middle = net.last;
  net.add(ops::ElemWise(), {middle, early});
  net.add(ops::Concat(), {net.last, early});
  net.pool(ops::Pooling::Max, 4, 4);
  net.conv(8, 3, 1, 1);
  net.pool(ops::Pooling::Average, 5, 5);
  net.fc(4);
  net.graph.set_outputs({net.last, middle});
  return net;
}

/// What an observer sees, by value: the samples of the batch in order.
std::map<graph::ValueId, std::vector<float>> observe(Executor& executor, const Tensor& x) {
  std::map<graph::ValueId, std::vector<float>> seen;
  std::map<graph::ValueId, int64_t> samples;
  std::mutex mutex;
  executor.forward(x, 0, [&](const Observation& o) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(o.layout, Layout::Nchw);  // that of the reference
    std::vector<float>& values = seen[o.value];
    const size_t size = o.data.size() / static_cast<size_t>(o.count);
    values.resize(size * static_cast<size_t>(x.shape().n()));
    std::copy(o.data.begin(), o.data.end(),
              values.begin() + static_cast<std::ptrdiff_t>(o.first * static_cast<int64_t>(size)));
    samples[o.value] += o.count;
  });
  for (const auto& [value, count] : samples) EXPECT_EQ(count, x.shape().n());
  return seen;
}

ExecutorOptions only_outputs(Backend backend) {
  return {.backend = backend, .keep = Keep::Outputs};
}

TEST(LanePlan, ChangesNoOutput) {
  const int threads = max_threads();
  const Network net = long_lives();
  for (const Backend backend : {Backend::Reference, Backend::OneDnn})
    for (const int64_t samples : {1, 5, cases(37, 4)}) {
      const Tensor x = random_tensor({samples, 3, 40, 40}, 3);
      Executor all(net.graph, {.backend = backend});
      all.forward(x);
      for (const int used : {1, 4}) {
        set_max_threads(used);
        Executor outputs(net.graph, only_outputs(backend));
        for (int repeat = 0; repeat < 2; ++repeat) {
          outputs.forward(x);
          for (const graph::ValueId id : net.graph.outputs())
            EXPECT_EQ(outputs.read(id), all.read(id)) << samples << " samples, " << used << " threads";
        }
      }
      set_max_threads(threads);
    }
}

TEST(LanePlan, ObserversSeeEverySampleOfEveryValueOnce) {
  const Network net = long_lives();
  const Tensor x = random_tensor({21, 3, 40, 40}, 3);
  Executor all(net.graph, {.backend = Backend::Reference});
  Executor outputs(net.graph, only_outputs(Backend::Reference));
  const auto seen = observe(all, x);
  EXPECT_EQ(seen, observe(outputs, x));
  size_t activations = 0;
  for (const graph::ValueId id : net.graph.values()) {
    if (net.graph.value(id).is_constant()) continue;
    ++activations;
    const Tensor value = all.read(id);
    EXPECT_TRUE(std::ranges::equal(seen.at(id), value.span<float>())) << net.graph.value(id).name;
  }
  EXPECT_EQ(seen.size(), activations);
}

TEST(LanePlan, OnlyOutputsAreRead) {
  const Network net = long_lives();
  Executor executor(net.graph, only_outputs(Backend::OneDnn));
  executor.forward(random_tensor({2, 3, 40, 40}, 3));
  try {
    executor.read(net.graph.inputs()[0]);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'data' is read, but only the outputs are kept"));
  }
}

TEST(LanePlan, TrainingKeepsAll) {
  Network net({1, 1, 4, 4});
  net.conv(2, 3, 1, 1);
  const graph::ValueId inside = net.last;
  net.fc(3);
  net.graph.set_outputs({net.last});
  Executor executor(net.graph, {.training = true, .keep = Keep::Outputs});
  executor.forward(random_tensor({2, 1, 4, 4}, 3));
  EXPECT_EQ(executor.read(inside).shape(), Shape({2, 2, 4, 4}));
}

TEST(ForwardTime, CountsSamplesAndTheShareOfTheObserver) {
  const Network net = long_lives();
  Executor executor(net.graph, only_outputs(Backend::OneDnn));
  executor.forward(random_tensor({2, 3, 40, 40}, 3));
  executor.forward(random_tensor({3, 3, 40, 40}, 3));
  const ForwardTime before = executor.forward_time();
  EXPECT_EQ(before.samples, 5);
  EXPECT_GT(before.seconds, 0);
  EXPECT_EQ(before.observing, 0);
  executor.forward(random_tensor({4, 3, 40, 40}, 3), 0,
                   [](const Observation& o) { EXPECT_EQ(o.layout, Layout::Nhwc); });
  const ForwardTime after = executor.forward_time();
  EXPECT_EQ(after.samples, 9);
  EXPECT_GT(after.observing, 0);
  EXPECT_GT(after.seconds - before.seconds, after.observing);
}

}  // namespace
}  // namespace n2d2::compute
