// Operators that move or resample values, and LRN, behind a Conv whose gradient goes through them.
#include <gtest/gtest.h>

#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/ops/transpose.hpp"

#include "compute/onednn/agreement.hpp"

namespace n2d2::compute {
namespace {

using testing::expect_agreement;
using testing::Network;

void add_deconv(Network& net, const ops::Deconv& op, bool bias) {
  const Shape weights{op.nb_outputs, net.shape().c() / op.groups, op.kernel.y, op.kernel.x};
  const double terms = static_cast<double>(weights[1] * weights[2] * weights[3]);
  std::vector<graph::ValueId> inputs{net.last, net.parameter("deconv_w", weights, 1 / std::sqrt(terms))};
  if (bias) inputs.push_back(net.parameter("deconv_b", {op.nb_outputs}, 0.3));
  net.add(op, inputs);
}

void check(int channels, const ops::Deconv& op, bool bias = true) {
  Network net({1, 3, 5, 6});
  net.conv(channels, 1, 1, 0);
  add_deconv(net, op, bias);
  SCOPED_TRACE(fmt::format("{} channels, {} outputs, kernel {}x{}, stride {}, groups {}, more {}, bias {}",
                           channels, op.nb_outputs, op.kernel.x, op.kernel.y, op.stride.x, op.groups,
                           op.output_padding.x, bias));
  expect_agreement(net);
}

ops::Deconv make(int outputs, int kernel, int stride, int pad = 0, int groups = 1) {
  ops::Deconv op;
  op.kernel = {kernel, kernel};
  op.stride = {stride, stride};
  op.padding = {pad, pad, pad, pad};
  op.nb_outputs = outputs;
  op.groups = groups;
  return op;
}

TEST(OneDnnDeconv, AgreesOverChannelsKernelsAndStrides) {
  for (const int channels : {1, 3, 16})
    for (const int outputs : {1, 5, 16}) check(channels, make(outputs, 3, 2, 1));
  for (const int kernel : {1, 2, 4})
    for (const int stride : {1, 2, 3})
      for (const bool bias : {false, true}) check(8, make(16, kernel, stride, kernel / 3), bias);
}

TEST(OneDnnDeconv, AgreesOnGroupsConnectionsAndUnequalFields) {
  check(8, make(8, 3, 2, 1, 8));
  check(8, make(12, 2, 2, 0, 4));
  ops::Deconv op = make(4, 3, 1);
  op.kernel = {4, 2};
  op.stride = {2, 3};
  op.dilation = {1, 2};
  op.padding = {3, 0, 1, 2};
  check(6, op);
  op = make(2, 3, 1, 1);
  op.connections = {1, 0, 1, 1, 0, 1};
  check(3, op);
}

TEST(OneDnnDeconv, AgreesOnOutputPadding) {
  for (const int more : {1, 2, 5}) {
    ops::Deconv op = make(5, 3, 2);
    op.output_padding = {more, 1};
    check(4, op);
    op.padding = {1, 1, 1, 1};
    check(4, op);
  }
}

TEST(OneDnnDeconv, FusesTheClamp) {
  Network net({1, 3, 4, 4});
  net.conv(4, 1, 1, 0);
  add_deconv(net, make(6, 2, 2), true);
  net.graph.set_clamp(net.graph.value(net.last).producer, Clamp{0, 0.5F});
  expect_agreement(net);
}

TEST(OneDnnLrn, AgreesOverNeighboursAndChannels) {
  for (const int channels : {1, 7, 16, 32})
    for (const int n : {1, 2, 3, 5, 9, 33}) {
      Network net({1, 3, 5, 6});
      net.conv(channels, 3, 1, 1);
      ops::Lrn op;
      op.n = n;
      op.alpha = 0.2;
      net.add(op);
      SCOPED_TRACE(fmt::format("{} channels, {} neighbours", channels, n));
      expect_agreement(net);
      op.beta = 0.6;
      op.k = 1;
      net.add(op);
      expect_agreement(net);
    }
}

TEST(OneDnnFallback, AgreesOnWhatMovesAndResamples) {
  Network net({1, 3, 6, 4});
  net.conv(8, 3, 1, 1);
  ops::Transpose transpose;
  transpose.perm = {2, 0, 1};
  net.add(transpose);
  net.conv(8, 3, 1, 1);
  ops::DepthToSpace blocks;
  blocks.block_size = 2;
  net.add(blocks);
  ops::Resize resize;
  resize.output_width = 5;
  resize.output_height = 7;
  resize.mode = ops::ResizeMode::BilinearTF;
  resize.positions = ops::ResizePositions::HalfPixel;
  net.add(resize);
  resize.output_width = 9;
  resize.mode = ops::ResizeMode::NearestNeighbor;
  net.add(resize);
  net.conv(4, 3, 1, 0);
  expect_agreement(net);
}

}  // namespace
}  // namespace n2d2::compute
