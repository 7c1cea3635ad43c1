#include <gtest/gtest.h>

#include "compute/onednn/agreement.hpp"

namespace n2d2::compute {
namespace {

using testing::expect_agreement;
using testing::Network;

TEST(OneDnnFc, AgreesAfterMapsAndVectors) {
  for (const int channels : {1, 6, 16}) {
    Network net({1, 2, 5, 3});
    net.conv(channels, 1, 1, 0);
    net.fc(20);
    net.graph.set_clamp(net.fc(7, false), Clamp{0, 1});
    expect_agreement(net);
  }
}

TEST(OneDnnPool, AgreesOnMaximumAndAverage) {
  for (const ops::Pooling pooling : {ops::Pooling::Max, ops::Pooling::Average})
    for (const int kernel : {2, 3})
      for (const int stride : {1, 2})
        for (const int pad : {0, 1}) {
          Network net({1, 3, 7, 8});
          net.conv(17, 3, 1, 1);
          net.pool(pooling, kernel, stride, pad);
          expect_agreement(net);
        }
}

TEST(OneDnnPool, AgreesOnUnequalPads) {
  for (const ops::Pooling pooling : {ops::Pooling::Max, ops::Pooling::Average}) {
    Network net({1, 3, 7, 8});
    net.conv(4, 1, 1, 0);
    ops::Pool op;
    op.pooling = pooling;
    op.kernel = {3, 2};
    op.stride = {2, 1};
    op.padding = {2, 0, 1, 1};
    net.add(op);
    expect_agreement(net);
  }
}

TEST(OneDnnPool, FallsBackOnZerosAroundTheMaximumAndOnWidePads) {
  Network zeros({1, 3, 7, 8});
  zeros.conv(4, 1, 1, 0);
  ops::Pool op;
  op.kernel = {2, 2};
  op.padding = {1, 1, 1, 1};
  op.count_zeros = true;
  zeros.add(op);
  expect_agreement(zeros);
  Network wide({1, 3, 7, 8});
  wide.conv(4, 1, 1, 0);
  wide.pool(ops::Pooling::Average, 2, 1, 2);
  expect_agreement(wide);
}

TEST(OneDnnBatchNorm, AgreesOverChannelsWithBatchAndStoredStatistics) {
  for (const int channels : {1, 5, 16, 33, 80})
    for (const double momentum : {0.0, 0.1}) {
      Network net({1, 3, 6, 5});
      net.conv(channels, 3, 1, 1, 1, false);  // a bias would have a gradient of nothing but rounding
      net.batchnorm(momentum);
      expect_agreement(net);
    }
}

TEST(OneDnnBatchNorm, AgreesWithAClampAndAMeanFarFromZero) {
  Network net({1, 3, 6, 5});
  const graph::NodeId conv = net.conv(20, 3, 1, 1);
  Tensor bias(Shape{20});
  bias.fill(50);
  net.graph.set_constant(net.graph.node(conv).inputs[2], bias);
  net.graph.set_clamp(net.batchnorm(), Clamp{0, 1.5F});
  net.parameters.erase(net.parameters.begin() + 1);  // this bias has a gradient of nothing but rounding
  // Sums near 50 are known to some 4e-6, which normalizing divides by their spread.
  constexpr double kFarFromZero = 3 * testing::kTolerance;
  expect_agreement(net, testing::kSamples, kFarFromZero);
}

TEST(OneDnnEltwise, AgreesOnEveryActivation) {
  for (const auto& [leak, clipping] : {std::pair{0.0, 0.0}, {0.1, 0.0}, {0.0, 0.5}, {0.1, 0.5}}) {
    Network net({1, 3, 5, 5});
    net.conv(7, 3, 1, 1);
    ops::Relu op;
    op.leak_slope = leak;
    op.clipping = clipping;
    net.add(op);
    expect_agreement(net);
  }
  Network net({1, 3, 5, 5});
  net.conv(7, 3, 1, 1);
  net.add(ops::Saturation());
  expect_agreement(net);
}

TEST(OneDnnEltwise, HasNoGradientAtTheBoundsOfAClamp) {
  for (const float at : {0.0F, 6.0F}) {
    Network net({1, 1, 1, 1});
    net.fc(1);
    net.graph.mutable_constant(net.parameters[0]).fill(0);
    net.graph.mutable_constant(net.parameters[1]).fill(at);
    ops::Relu op;
    op.clipping = 6;
    net.add(op);
    expect_agreement(net);
  }
}

TEST(OneDnnSoftmax, AgreesOnVectorsMapsAndGroups) {
  for (const int group : {0, 12, 4}) {
    Network net({1, 3, 3, 2});
    net.conv(12, 1, 1, 0);
    ops::Softmax op;
    op.group_size = group;
    net.add(op);
    expect_agreement(net);
  }
}

TEST(OneDnnJoins, AgreeOnSumsAndConcatenations) {
  Network net({1, 3, 5, 5});
  net.conv(6, 3, 1, 1);
  const graph::ValueId trunk = net.last;
  net.conv(6, 3, 1, 1);
  ops::ElemWise op;
  op.weights = {0.5, -2};
  op.shifts = {1};
  net.add(op, {trunk, net.last});
  net.add(ops::Concat(), {trunk, net.last, trunk});
  expect_agreement(net);
}

TEST(OneDnnFallback, AgreesOnOperatorsItDoesNotKnow) {
  Network net({1, 3, 5, 5});
  net.conv(6, 3, 1, 1);
  ops::Padding padding;
  padding.top = 1;
  padding.left = -1;
  net.add(padding);
  ops::Scaling scaling;
  scaling.factor = {1, 2, 3, 4, 5, 6};
  net.add(scaling);
  net.add(ops::Dropout());
  ops::Reshape reshape;
  reshape.dims = {3, 4, -1};
  net.add(reshape);
  net.conv(4, 3, 1, 0);
  expect_agreement(net);
}

TEST(OneDnn, AgreesWhereBlocksChangeTheirSizeOnTheWay) {
  expect_agreement(testing::shrinking());
  expect_agreement(testing::shrinking_beside_a_dead_end());
}

TEST(OneDnn, CountsTheSecondsInPrimitives) {
  Network net({1, 3, 9, 9});
  net.conv(16, 3, 1, 1);
  Executor fast(net.graph, {Backend::OneDnn, false, 1, true}), silent(net.graph, {Backend::OneDnn, false, 1}),
      reference(net.graph, {Backend::Reference, false, 1, true});
  const Tensor x = testing::random_tensor({8, 3, 9, 9}, 1);
  fast.forward(x);
  silent.forward(x);
  reference.forward(x);
  EXPECT_GT(fast.seconds_in_primitives(), 0);
  EXPECT_EQ(silent.seconds_in_primitives(), 0);
  EXPECT_EQ(reference.seconds_in_primitives(), 0);
}

}  // namespace
}  // namespace n2d2::compute
