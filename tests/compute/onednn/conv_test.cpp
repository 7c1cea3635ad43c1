#include <gtest/gtest.h>

#include "compute/onednn/agreement.hpp"

namespace n2d2::compute {
namespace {

using testing::Network;

/// Two convolutions, so that the second one's gradient of its input reaches parameters.
void check(int channels, const ops::Conv& op, bool bias = true) {
  Network net({1, 3, 9, 11});
  net.conv(channels, 1, 1, 0);
  net.conv(op, bias);
  SCOPED_TRACE(fmt::format(
      "{} channels, {} outputs, kernel {}x{}, stride {}, dilation {}, groups {}, bias {}", channels,
      op.nb_outputs, op.kernel.x, op.kernel.y, op.stride.x, op.dilation.x, op.groups, bias));
  testing::expect_agreement(net);
}

ops::Conv make(int outputs, int kernel, int stride = 1, int pad = 0, int groups = 1) {
  ops::Conv op;
  op.kernel = {kernel, kernel};
  op.stride = {stride, stride};
  op.padding = {pad, pad, pad, pad};
  op.nb_outputs = outputs;
  op.groups = groups;
  return op;
}

TEST(OneDnnConv, AgreesOverChannelsAndOutputs) {
  for (const int channels : {1, 3, 16, 17})
    for (const int outputs : {1, 5, 16, 33}) check(channels, make(outputs, 3, 1, 1));
}

TEST(OneDnnConv, AgreesOverKernelsAndStrides) {
  for (const int kernel : {1, 2, 5})
    for (const int stride : {1, 2, 3})
      for (const bool bias : {false, true}) check(16, make(16, kernel, stride, kernel / 2), bias);
}

TEST(OneDnnConv, AgreesOnDepthwiseAndGroups) {
  for (const int channels : {3, 16, 24})
    for (const int stride : {1, 2}) check(channels, make(channels, 3, stride, 1, channels), stride == 1);
  check(8, make(16, 3, 1, 1, 8));
  check(8, make(12, 3, 1, 1, 4));
  check(32, make(32, 3, 2, 1, 2));
}

TEST(OneDnnConv, AgreesOnAsymmetricShapes) {
  ops::Conv op = make(8, 1);
  op.kernel = {4, 2};
  op.stride = {2, 1};
  op.dilation = {1, 3};
  op.padding = {3, 0, 1, 2};
  check(16, op);
  op = make(8, 3);
  op.dilation = {2, 2};
  check(4, op);
}

TEST(OneDnnConv, IgnoresWeightsOfChannelsThatAreNotConnected) {
  ops::Conv op = make(2, 3, 1, 1);
  op.connections = {1, 0, 1, 1, 0, 1};
  check(3, op);
}

TEST(OneDnnConv, FusesTheClampAndItsGradient) {
  for (const Clamp& clamp :
       {Clamp{0, std::numeric_limits<float>::infinity()}, Clamp{0, 0.5F}, Clamp{-0.25F, 0.25F}, Clamp{}}) {
    Network net({1, 3, 6, 6});
    net.graph.set_clamp(net.conv(16, 3, 1, 1), clamp);
    net.graph.set_clamp(net.conv(8, 3, 1, 1), clamp);
    testing::expect_agreement(net);
  }
}

TEST(OneDnnConv, AgreesOnAnyBatch) {
  Network net({1, 3, 6, 6});
  net.conv(16, 3, 1, 1);
  net.conv(8, 3, 2, 1);
  for (const int64_t samples : {1, 7, 8, 9, 24}) testing::expect_agreement(net, samples);
}

}  // namespace
}  // namespace n2d2::compute
