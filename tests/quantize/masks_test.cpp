// What does a mask in front of a Softmax, -1e4 or -inf where no share is wanted, cost the scores beside it?
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "n2d2/compute/integer.hpp"
#include "n2d2/ops/softmax.hpp"

#include "measure/softmax_inputs.hpp"
#include "quantize/integer_net.hpp"
#include "quantize/quantize_for.hpp"
#include "scales/constant_operands.hpp"

namespace n2d2::testing {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();

struct Masks : ::testing::Test {
  /// Softmax of `kChannels` scores in each of 6 pixels, of which the mask leaves one in pixel 0, two in
  /// pixel 1, and so on.
  static constexpr int64_t kChannels = 6;

  ValueId masked(float by, int group = 0) {
    Tensor mask(Shape{1, kChannels, 1, kChannels});
    for (int64_t c = 0; c < kChannels; ++c)
      for (int64_t x = 0; x < c; ++x) mask.data<float>()[c * kChannels + x] = by;
    ops::ElemWise sum;
    sum.operation = ops::ElemWiseOperation::Sum, sum.constants_from = 1;
    const ValueId scores = net.layer("sum", sum, {net.data, net.constant("mask", std::move(mask))});
    ops::Softmax softmax;
    softmax.group_size = group;
    const ValueId out = net.layer("shares", softmax, {scores});
    net.graph.set_outputs({out});
    return out;
  }
  /// The largest distance of a share from that of the floats.
  double error(float by, int bits) {
    net = Net(Shape{1, kChannels, 1, kChannels});
    const ValueId out = masked(by);
    Rng rng(3, "scores");
    const Tensor sample = random_tensor(net.graph.value(net.data).type.shape, rng, -4, 4);
    const Tensor wanted = evaluate_all(net.graph, sample).at(out);
    graph::Graph integers = net.graph;
    quantize_for(integers, sample, bits);
    const QuantParams in = *integers.value(net.data).type.quant, quant = *integers.value(out).type.quant;
    const Tensor steps = quantize::quantize_input(sample, in);
    const Integers found = integers_of(compute::IntegerExecutor(integers).run(steps).at(out));
    double largest = 0;
    for (size_t i = 0; i < found.size(); ++i)
      largest =
          std::max(largest, std::abs(static_cast<double>(found[i]) * static_cast<double>(quant.scale[0]) -
                                     static_cast<double>(wanted.span<float>()[i])));
    return largest;
  }

  Net net{Shape{1, kChannels, 1, kChannels}};
};

// Scores between -4 and 4 with 16 below have steps of 0.16 or less; rounding the sum moves a share by half a
// step times p (1 - p), which is at most 2 %, and rounding its input as much.
TEST_F(Masks, CostNoResolutionWhateverTheirMagnitude) {
  const double without = error(0, 8);
  for (const float by : {-20.0F, -1e4F, -1e9F, kLowest}) {
    EXPECT_LT(error(by, 8), without + 0.04) << by;
    EXPECT_LT(error(by, 16), 1e-3) << by;
  }
}

TEST_F(Masks, OperandsOfASumEndWhereTheSumDoes) {
  quantize::Scale data, sum;
  data.threshold = 4, sum.threshold = 12;
  const Clamp reach = quantize::reach_of_operand(data, sum);
  const double step = 12.0 / 127;
  EXPECT_FLOAT_EQ(reach.lo, static_cast<float>(-128 * step - 4 - step));
  EXPECT_FLOAT_EQ(reach.hi, static_cast<float>(12 + 128.0 * 4 / 127 + step));
}

struct Bounded : Masks {
  std::vector<float> of(const std::vector<float>& values, Layout layout, ValueId id) {
    const compute::Observation seen{id, 0, 1, values, layout, 0};
    std::vector<float> room;
    const std::span<const float> out = quantize::SoftmaxInputs(net.graph).bounded(seen, room).data;
    return {out.begin(), out.end()};
  }
};

TEST_F(Bounded, EndsFarBelowTheLargestOfEachGroup) {
  net = Net(Shape{1, kChannels, 1, kChannels});
  masked(-1, 3);
  const ValueId scores = *net.graph.find_value("sum");
  // Channel 0 of all pixels is 5, channel 4 is 1, the others are -100.
  std::vector<float> planes(36, -100), pixels(36, -100), bounded_planes(36), bounded_pixels(36);
  for (size_t pixel = 0; pixel < 6; ++pixel)
    for (size_t c = 0; c < 6; ++c) {
      const float value = c == 0 ? 5.0F : c == 4 ? 1.0F : -100.0F;
      planes[c * 6 + pixel] = pixels[pixel * 6 + c] = value;
      const float kept = c == 0 || c == 4 ? value : (c < 3 ? 5.0F : 1.0F) - quantize::SoftmaxInputs::kFar;
      bounded_planes[c * 6 + pixel] = bounded_pixels[pixel * 6 + c] = kept;
    }
  EXPECT_EQ(of(planes, Layout::Nchw, scores), bounded_planes);
  EXPECT_EQ(of(pixels, Layout::Nhwc, scores), bounded_pixels);
  EXPECT_EQ(of(planes, Layout::Nchw, net.data), planes) << "which the sum reads";
}

TEST_F(Bounded, LeavesWhatAnotherLayerReadsToo) {
  net = Net(Shape{1, kChannels, 1, kChannels});
  const ValueId shares = masked(-1), scores = *net.graph.find_value("sum");
  net.graph.set_outputs({shares, net.layer("more", ops::Nonlinearity(), {scores})});
  const std::vector<float> values(36, -100);
  std::vector<float> one_large = values;
  one_large[0] = 5;
  EXPECT_EQ(of(one_large, Layout::Nchw, scores), one_large);
}

}  // namespace
}  // namespace n2d2::testing
