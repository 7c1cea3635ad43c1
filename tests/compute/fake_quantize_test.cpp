#include "n2d2/ops/fake_quantize.hpp"

#include <gtest/gtest.h>

#include "compute/network.hpp"

namespace n2d2::compute {
namespace {

/// A network of a convolution of one weight 1 (it makes x need a gradient) and the rounding.
TEST(FakeQuantizeKernel, IsTheOperatorInBothBackends) {
  const Shape shape{19, 3, 5, 7};  // more than a block, and no multiple of a vector
  const Tensor x = testing::random_tensor(shape, 1, 2), d = testing::random_tensor(shape, 2);
  ops::FakeQuantize bytes, shifted, narrow, of_channels;
  bytes.scale = {0.01}, bytes.is_signed = false;
  shifted.scale = {0.013}, shifted.zero_point = {-100};
  narrow.scale = {0.25}, narrow.bounds = {-3, 2};
  of_channels.scale = {0.1, 0.01, 0.2};
  for (const ops::FakeQuantize& op : {bytes, shifted, narrow, of_channels}) {
    Tensor y(shape), d_x(shape);
    const std::vector<const Tensor*> in{&x}, made{&y}, d_out{&d};
    const std::vector<Tensor*> out{&y}, d_in{&d_x};
    op.forward({in, out, true, {}, nullptr});
    op.backward({in, made, d_out, d_in, {}, nullptr});
    for (const Backend backend : {Backend::Reference, Backend::OneDnn}) {
      testing::Network net(shape.with_batch(1));
      ops::Conv one;
      one.kernel = {1, 1}, one.nb_outputs = 3, one.groups = 3;
      net.conv(one, false);
      net.graph.mutable_constant(net.parameters[0]).fill(1);
      net.add(op, {net.last});
      net.graph.set_outputs({net.last});
      Executor executor(net.graph, {.backend = backend, .training = true});
      executor.forward(x);
      executor.backward(std::vector<GradientSeed>{{net.last, d}});
      EXPECT_TRUE(executor.read(net.last) == y);
      const Tensor weights = executor.gradient(net.parameters[0]);
      for (int64_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (int64_t i = 0; i < x.elements(); ++i)
          if (i / 35 % 3 == c) sum += double{d_x.data<float>()[i]} * double{x.data<float>()[i]};
        EXPECT_NEAR(weights.data<float>()[c], sum, 1e-4 * std::abs(sum) + 1e-4);
      }
    }
  }
}

}  // namespace
}  // namespace n2d2::compute
