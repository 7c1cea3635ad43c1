#include "n2d2/memory/order.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "problems.hpp"

namespace n2d2::memory {
namespace {

using Steps = std::vector<StepId>;

Steps given_order(const Problem& problem) {
  Steps order;
  for (size_t t = 0; t < problem.steps.size(); ++t) order.push_back(static_cast<StepId>(t));
  return order;
}

/// Two branches of one input: 40 -> 100 -> 1 and 40 -> 80 -> 2, joined. Names say which.
Problem branches(bool interleaved) {
  Net net;
  const BufferId input = net.map("in", 1, 1, 40);
  const BufferId a1 = net.map("a1", 1, 1, 100), a2 = net.map("a2", 1, 1, 1);
  const BufferId b1 = net.map("b1", 1, 1, 80), b2 = net.map("b2", 1, 1, 2);
  net.step("a1", {{input, whole()}}, a1);
  if (!interleaved) net.step("a2", {{a1, whole()}}, a2);
  net.step("b1", {{input, whole()}}, b1);
  if (interleaved) net.step("a2", {{a1, whole()}}, a2);
  net.step("b2", {{b1, whole()}}, b2);
  net.problem.buffers[static_cast<size_t>(net.layer("joined", {{a2, whole()}, {b2, whole()}}, 1, 1, 3))]
      .keep = true;
  return net.done();
}

TEST(Order, OneBranchIsFinishedBeforeTheOtherBegins) {
  const Problem p = branches(true);
  EXPECT_EQ(lower_bound(p), 220);
  EXPECT_EQ(best_order(p), (Steps{0, 2, 1, 3, 4}));
  EXPECT_EQ(lower_bound(reordered(p, best_order(p))), 141);
}

TEST(Order, TheGivenOrderStaysWhenNoneIsLower) {
  EXPECT_EQ(best_order(branches(false)), (Steps{0, 1, 2, 3, 4}));
  EXPECT_TRUE(best_order(Problem{}).empty());
}

TEST(Order, AStretchThatDoesNotSetThePeakStays) {
  Problem p = branches(true);
  Buffer large = p.buffers[0];
  large.name = "large";
  large.used = large.pixel = 300;
  p.buffers.push_back(large);
  Step tail;
  tail.name = "tail";
  tail.reads = {{p.steps.back().writes[0], whole()}};
  tail.writes = {6};
  p.buffers.back().keep = true;
  p.steps.push_back(tail);
  derive_lifetimes(p);
  EXPECT_EQ(best_order(p), given_order(p));
}

TEST(Order, ReadersOfAHostWaitForAllItsLanes) {
  Net net;
  const BufferId input = net.map("in", 2, 2, 1);
  const BufferId host = net.map("host", 2, 2, 2);
  net.step("left", {{input, rows(1)}}, net.lane("left", host, 0, 1));
  net.step("right", {{input, rows(1)}}, net.lane("right", host, 1, 1));
  net.layer("next", {{host, rows(1)}}, 2, 2, 1);
  const Problem p = net.done();
  EXPECT_EQ(reordered(p, Steps{1, 0, 2}).steps[0].name, "right");
  EXPECT_EQ(reordered(p, Steps{1, 0, 2}).buffers[3].life, (Lifetime{0, 3}));
  EXPECT_THROW(reordered(p, Steps{0, 2, 1}), InternalError);
  EXPECT_THROW(reordered(p, Steps{0, 0, 2}), InternalError);
  EXPECT_THROW(reordered(p, Steps{0, 1}), InternalError);
}

/// Layers of networks that peers publish figures of, padded as there.
struct Network : Net {
  BufferId conv(const std::string& name, BufferId from, int channels, int kernel, int stride, int pad,
                int below) {
    const Buffer& in = problem.buffers[static_cast<size_t>(from)];
    const auto length = [&](int size) { return (size + pad + below - kernel) / stride + 1; };
    return layer(name, {{from, rows(kernel, stride, pad)}}, length(in.height), length(in.width), channels);
  }
  /// TensorFlow's "same" padding.
  BufferId same(const std::string& name, BufferId from, int channels, int kernel, int stride) {
    const int size = problem.buffers[static_cast<size_t>(from)].height;
    const int pad = std::max(((size + stride - 1) / stride - 1) * stride + kernel - size, 0);
    return conv(name, from, channels, kernel, stride, pad / 2, pad - pad / 2);
  }
  BufferId add(const std::string& name, BufferId a, BufferId b) {
    const Buffer like = problem.buffers[static_cast<size_t>(a)];
    return layer(name, {{a, element()}, {b, element()}}, like.height, like.width, like.used);
  }
  /// A residual block of ResNet8, in the order the oracle lists it.
  BufferId residual(const std::string& name, BufferId from, int channels, int stride) {
    const BufferId a = same(name + "c1", from, channels, 3, stride);
    const BufferId b = same(name + "c2", a, channels, 3, 1);
    return add(name + "add", stride == 2 ? same(name + "sc", from, channels, 1, 2) : from, b);
  }
  Problem classified(BufferId from, int classes) {
    const Bytes channels = problem.buffers[static_cast<size_t>(from)].used;
    const BufferId pool = layer("avgpool", {{from, whole()}}, 1, 1, channels);
    const BufferId fc = layer("fc", {{pool, whole()}}, 1, 1, classes);
    problem.buffers[static_cast<size_t>(fc)].keep = true;
    return done();
  }
};

/// No order changes the peak of a network of the table.
TEST(Order, ResNet8HasOneLoadInEveryOrder) {
  Network net;
  BufferId at = net.same("conv1", net.map("input", 32, 32, 3), 16, 3, 1);
  at = net.residual("b0", at, 16, 1);
  at = net.residual("b1", at, 32, 2);
  const Problem p = net.classified(net.residual("b2", at, 64, 2), 10);
  EXPECT_EQ(lower_bound(p), 33792);
  EXPECT_EQ(best_order(p), given_order(p));
}

TEST(Order, SqueezeNetHasOneLoadInEveryOrder) {
  Network net;
  BufferId at = net.conv("conv1", net.map("input", 224, 224, 3), 64, 3, 2, 0, 0);
  at = net.conv("pool1", at, 64, 3, 2, 0, 0);
  for (const int squeezed : {16, 16, 0, 32, 32, 0, 48, 48, 64, 64}) {
    const std::string name = "f" + std::to_string(net.problem.steps.size());
    const Buffer shape = net.problem.buffers[static_cast<size_t>(at)];
    if (squeezed == 0) {
      at = net.conv(name + "pool", at, static_cast<int>(shape.used), 3, 2, 0, 0);
      continue;
    }
    const BufferId q = net.conv(name + "sq", at, squeezed, 1, 1, 0, 0);
    at = net.map(name + "cat", shape.height, shape.width, 8 * squeezed);
    net.step(name + "e1", {{q, rows(1)}}, net.lane(name + "e1", at, 0, 4 * squeezed));
    net.step(name + "e3", {{q, rows(3, 1, 1)}}, net.lane(name + "e3", at, 4 * squeezed, 4 * squeezed));
  }
  const Problem p = net.classified(net.conv("conv10", at, 1000, 1, 1, 0, 0), 1000);
  EXPECT_EQ(lower_bound(p), 792064);
  EXPECT_EQ(best_order(p), given_order(p));
}

/// What remains of ResNet8 behind a tiled head takes 12,288 bytes in the best
/// order, 13,312 in the worst.
TEST(Order, TheTailOfResNet8RunsItsShortcutFirst) {
  Network net;
  const BufferId at = net.map("b1add", 16, 16, 32);
  const Problem p = net.classified(net.residual("b2", at, 64, 2), 10);
  EXPECT_EQ(lower_bound(p), 13312);
  EXPECT_EQ(best_order(p), (Steps{0, 2, 1, 3, 4, 5}));
  EXPECT_EQ(lower_bound(reordered(p, best_order(p))), 12288);
}

}  // namespace
}  // namespace n2d2::memory
