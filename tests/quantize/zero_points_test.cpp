// Inputs whose integers are those of the samples: zero points, and the biases that make up for them.
#include "n2d2/quantize/zero_points.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/verify.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::byte_grid;
using quantize::ByteGrid;
using quantize::quantize_graph;
using quantize::refuses_zero_point;
using ::testing::HasSubstr;

/// What bytes become in each channel.
PixelTable table_of(const std::vector<std::function<float(float)>>& channels) {
  PixelTable table;
  table.reason.clear();
  table.values = Tensor(Shape{1, static_cast<int64_t>(channels.size()), 1, PixelTable::kValues});
  float* to = table.values.data<float>();
  for (const auto& channel : channels)
    for (int v = 0; v < PixelTable::kValues; ++v) *to++ = channel(static_cast<float>(v));
  return table;
}

std::string grid_text(const std::vector<std::function<float(float)>>& channels) {
  const auto grid = byte_grid(table_of(channels));
  return grid ? fmt::format("{:.8g} {}", grid->step, grid->zero_point) : "none";
}

TEST(ByteGrid, IsTheLineOfAllChannels) {
  const auto centred = [](float v) { return v / 127.5F - 1; };
  EXPECT_EQ(grid_text({centred}), "0.0078431373 127.5");
  EXPECT_EQ(grid_text({centred, centred, centred}), "0.0078431373 127.5");
  EXPECT_EQ(grid_text({[](float v) { return (v * (1.0F / 255) - 0.5F) / 0.5F; }}), "0.0078431373 127.5");
  EXPECT_EQ(grid_text({[](float v) { return 1 - v / 127.5F; }}), "0.0078431373 127.5");  // of 255 - v
  EXPECT_EQ(grid_text({[](float v) { return v / 255; }}), "0.0039215686 0");
  EXPECT_EQ(grid_text({[](float v) { return v - 128; }}), "1 128");
  EXPECT_NEAR(byte_grid(table_of({[](float v) { return (v - 123.675F) / 58.395F; }}))->zero_point, 123.675,
              1e-3);
}

TEST(ByteGrid, IsNoneWhereBytesStandForDifferentThings) {
  const auto centred = [](float v) { return v / 127.5F - 1; };
  EXPECT_EQ(grid_text({centred, [](float v) { return v / 127.5F - 1.01F; }}), "none");
  EXPECT_EQ(grid_text({centred, [](float v) { return v / 127 - 1; }}), "none");
  EXPECT_EQ(grid_text({[](float v) { return v * v; }}), "none");
  EXPECT_EQ(grid_text({[](float v) { return v == 100 ? 0 : v / 127.5F - 1; }}), "none");
  EXPECT_EQ(grid_text({[](float) { return 3.0F; }}), "none");
  EXPECT_FALSE(byte_grid(PixelTable{}));
}

ops::Conv conv_of(int outputs, Dims kernel, Dims stride, Pads padding, Dims dilation = {1, 1},
                  int groups = 1) {
  ops::Conv op;
  op.nb_outputs = outputs;
  op.kernel = kernel;
  op.stride = stride;
  op.padding = padding;
  op.dilation = dilation;
  op.groups = groups;
  return op;
}

std::string refusal(const std::function<ValueId(Net&)>& layers, double zero = 1) {
  Net net{Shape{1, 2, 4, 4}};
  net.graph.set_outputs({layers(net)});
  return refuses_zero_point(net.graph, net.data, zero);
}

TEST(RefusesZeroPoint, UnlessWeightsOfEveryReaderMakeUpForIt) {
  EXPECT_EQ(refusal([](Net& n) { return n.conv("c", n.data, 3, 3); }), "");
  EXPECT_EQ(refusal([](Net& n) { return n.fc("f", n.data, 3); }), "");
  EXPECT_EQ(refusal([](Net& n) { return n.fc("f", n.reshape("r", n.data, {32, 1, 1}), 3); }), "");
  EXPECT_EQ(refusal([](Net& n) { return n.depthwise("d", n.data, 3); }), "");
  const auto padded = [](Net& n) {
    return n.conv("d", n.data, conv_of(2, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 2));
  };
  EXPECT_EQ(refusal(padded, 127), "");
  EXPECT_EQ(refusal(padded, 127.5), "[d] Conv takes integers alone");
  EXPECT_EQ(refusal([](Net& n) { return n.fc("f", n.pool("p", n.data, ops::Pooling::Max, 2), 3); }), "");
  EXPECT_EQ(refusal([](Net& n) { return n.pool("p", n.data, ops::Pooling::Average, 2); }), "");
  EXPECT_EQ(refusal([](Net& n) { return n.padding("p", n.data, {1, 1, 1, 1}); }), "[p] Padding takes none");
  EXPECT_EQ(refusal([](Net& n) { return n.sum("s", {n.data, n.conv("c", n.data, 2, 1)}); }), "");
  EXPECT_EQ(refusal([](Net& n) { return n.reshape("r", n.data, {32, 1, 1}); }), "'r' leaves the network");
}

/// Tensor of all bytes, more or less, as what they stand for.
Tensor sample_of(const Shape& shape, const ByteGrid& grid, Integers& bytes) {
  Tensor out(shape);
  for (int64_t i = 0; i < out.elements(); ++i) {
    bytes.push_back((i * 37 + 11) % 256);
    out.data<float>()[i] =
        static_cast<float>(grid.step * (static_cast<double>(bytes.back()) - grid.zero_point));
  }
  return out;
}

quantize::Options with_bytes(const ByteGrid& grid) {
  quantize::Options options = without_clipping();
  options.zero_points = true;
  options.bytes = grid;
  return options;
}

struct Layer {
  Integers weights, biases;
  std::vector<float> real_biases;
};

/// Every sum of the convolution in doubles, from what the integers of input and weights stand for; the
/// integer sum is at most the rounding of one bias off.
void expect_sums(const ops::Conv& op, const Shape& in, const Shape& out, const Integers& x, double zero,
                 const Layer& layer, const std::vector<double>& bias_scale) {
  const auto down = bias_rows(in.h(), out.h(), op.kernel.y, op.stride.y, op.dilation.y, op.padding.top);
  const auto across = bias_rows(in.w(), out.w(), op.kernel.x, op.stride.x, op.dilation.x, op.padding.left);
  const int64_t group_in = in.c() / op.groups, group_out = out.c() / op.groups;
  ASSERT_EQ(static_cast<int64_t>(layer.biases.size()), (down.back() + 1) * (across.back() + 1) * out.c());
  for (int64_t o = 0; o < out.c(); ++o)
    for (int64_t y = 0; y < out.h(); ++y)
      for (int64_t c = 0; c < out.w(); ++c) {
        const auto at = [](int64_t i) { return static_cast<size_t>(i); };
        int64_t sum = layer.biases[at((down[at(y)] * (across.back() + 1) + across[at(c)]) * out.c() + o)];
        double wanted = static_cast<double>(layer.real_biases[at(o)]) / bias_scale[at(o)];
        for (int64_t i = 0; i < group_in * op.kernel.y * op.kernel.x; ++i) {
          const int64_t channel = o / group_out * group_in + i / (op.kernel.y * op.kernel.x);
          const int64_t row =
              y * op.stride.y + i / op.kernel.x % op.kernel.y * op.dilation.y - op.padding.top;
          const int64_t column = c * op.stride.x + i % op.kernel.x * op.dilation.x - op.padding.left;
          if (row < 0 || row >= in.h() || column < 0 || column >= in.w()) continue;  // real 0
          const int64_t w = layer.weights[at(o * group_in * op.kernel.y * op.kernel.x + i)];
          const int64_t q = x[at((channel * in.h() + row) * in.w() + column)];
          sum += w * q;
          wanted += static_cast<double>(w) * (static_cast<double>(q) - zero);
        }
        ASSERT_NEAR(static_cast<double>(sum), wanted, 0.501) << "output " << o << " at " << c << ", " << y;
      }
}

/// Quantizes one convolution of bytes and checks each of its sums.
void check_conv(const Shape& in, const ops::Conv& op, const ByteGrid& grid, quantize::Options options) {
  SCOPED_TRACE(fmt::format("{}, kernel {}x{} stride {} dilation {} groups {}", in.text(), op.kernel.x,
                           op.kernel.y, op.stride.x, op.dilation.x, op.groups));
  Net net{in};
  net.graph.set_outputs({net.conv("conv", net.data, op)});
  Integers bytes;
  const Tensor sample = sample_of(in, grid, bytes);
  Layer layer;
  const auto biases = net.graph.value(net.node("conv").inputs[2]).constant->span<float>();
  layer.real_biases.assign(biases.begin(), biases.end());
  const auto report = quantize_graph(net.graph, observe(net.graph, sample), options);
  graph::verify(net.graph);
  const QuantParams& quant = *net.graph.value(net.data).type.quant;
  const int64_t shift = options.allow_unsigned ? 0 : 128;
  EXPECT_EQ(quant.is_signed, !options.allow_unsigned);
  EXPECT_EQ(quant.zero_point, grid.zero_point - static_cast<double>(shift));
  for (int64_t& q : bytes) q -= shift;
  EXPECT_EQ(integers_of(quantize::quantize_input(sample, quant)), bytes);
  const graph::Node& node = net.node("conv");
  layer.weights = integers_of(*net.graph.value(node.inputs[1]).constant);
  layer.biases = integers_of(*net.graph.value(node.inputs[2]).constant);
  std::vector<double> bias_scale;
  for (const double t : net.graph.value(node.inputs[1]).type.quant->threshold)
    bias_scale.push_back(grid.step * t / 127);
  expect_sums(op, in, net.graph.value(node.outputs[0]).type.shape, bytes, quant.zero_point, layer,
              bias_scale);
  double largest = 0;
  for (const int64_t b : layer.biases) largest = std::max(largest, std::abs(static_cast<double>(b)));
  EXPECT_GT(report.layers.at(1).accumulator_bound, largest);
  EXPECT_EQ(report.layers.at(0).clipping, "pixels");
  EXPECT_EQ(report.layers.at(0).zero_point, quant.zero_point);
}

TEST(ZeroPoints, OfInputsAreExactAtEveryPixelOfAConvolution) {
  const ByteGrid centred{1 / 127.5, 127.5}, odd{0.01, 100.25};
  for (const ByteGrid& grid : {centred, odd}) {
    const quantize::Options options = with_bytes(grid);
    check_conv(Shape{1, 3, 7, 6}, conv_of(4, {3, 3}, {2, 2}, {1, 1, 1, 1}), grid, options);
    check_conv(Shape{1, 1, 12, 9}, conv_of(3, {7, 7}, {2, 2}, {3, 3, 3, 3}), grid, options);
    check_conv(Shape{1, 2, 5, 5}, conv_of(3, {1, 1}, {1, 1}, {}), grid, options);
    check_conv(Shape{1, 2, 6, 5}, conv_of(3, {3, 2}, {1, 1}, {}), grid, options);
    check_conv(Shape{1, 2, 2, 3}, conv_of(3, {5, 5}, {1, 1}, {4, 4, 4, 4}), grid, options);
    check_conv(Shape{1, 4, 9, 8}, conv_of(4, {3, 3}, {1, 1}, {2, 0, 1, 2}, {2, 2}, 2), grid, options);
    check_conv(Shape{1, 1, 1, 9}, conv_of(2, {3, 1}, {1, 1}, {1, 0, 1, 0}), grid, options);
  }
}

TEST(ZeroPoints, MoveToSignedIntegersWhereNoneMayBeUnsigned) {
  const ByteGrid centred{1 / 127.5, 127.5};
  quantize::Options options = with_bytes(centred);
  options.allow_unsigned = false;
  check_conv(Shape{1, 2, 6, 6}, conv_of(3, {3, 3}, {1, 1}, {1, 1, 1, 1}), centred, options);
}

TEST(ZeroPoints, AreFoldedIntoTheBiasesOfAnFcBehindAReshape) {
  const ByteGrid centred{1 / 127.5, 127.5};
  Net net{Shape{1, 2, 3, 4}};
  net.graph.set_outputs({net.fc("fc", net.reshape("flat", net.data, {24, 1, 1}), 3, false)});
  Integers bytes;
  const Tensor sample = sample_of(Shape{1, 2, 3, 4}, centred, bytes);
  quantize_graph(net.graph, observe(net.graph, sample), with_bytes(centred));
  graph::verify(net.graph);
  const graph::Node& fc = net.node("fc");
  EXPECT_EQ(net.graph.value(fc.inputs[0]).type.quant, net.graph.value(net.data).type.quant);
  const Integers w = integers_of(*net.graph.value(fc.inputs[1]).constant);
  const Integers b = integers_of(*net.graph.value(fc.inputs.at(2)).constant);
  ASSERT_EQ(b.size(), 3U);
  for (size_t o = 0; o < 3; ++o) {
    int64_t sum = 0;
    for (size_t i = 0; i < 24; ++i) sum += w[o * 24 + i];
    EXPECT_EQ(static_cast<double>(b[o]), std::round(-127.5 * static_cast<double>(sum)));
  }
}

/// The type of the input, or what was said.
std::string input_of(const std::function<ValueId(Net&)>& layers, const quantize::Options& options) {
  Net net{Shape{1, 2, 4, 4}};
  net.graph.set_outputs({layers(net)});
  Integers bytes;
  const Tensor sample = sample_of(Shape{1, 2, 4, 4}, *options.bytes, bytes);
  quantize_graph(net.graph, observe(net.graph, sample), options);
  const QuantParams& quant = *net.graph.value(net.data).type.quant;
  return fmt::format("{} {}", quant.is_signed ? "signed" : "unsigned", quant.zero_point);
}

TEST(ZeroPoints, AreZeroWhereNobodyTakesOneOrNobodyNeedsOne) {
  const auto conv = [](Net& n) { return n.conv("conv", n.data, 2, 3); };
  const auto depthwise = [](Net& n) {
    return n.conv("dw", n.data, conv_of(2, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}, 2));
  };
  quantize::Options options = with_bytes({1 / 127.5, 127.5});
  log::Capture log;
  EXPECT_EQ(input_of(conv, options), "unsigned 127.5");
  EXPECT_EQ(log.text(), "");
  EXPECT_EQ(input_of(depthwise, options), "signed 0");
  EXPECT_EQ(log.text(),
            "input 'data' has no zero point, which would make its integers exact: [dw] Conv takes integers "
            "alone\n");
  options.zero_points = false;
  EXPECT_EQ(input_of(conv, options), "signed 0");
  options.zero_points = true;
  options.bits = 7;
  EXPECT_EQ(input_of(conv, options), "signed 0");
  EXPECT_EQ(input_of(conv, with_bytes({1.0 / 255, 0})), "unsigned 0");
}

TEST(ZeroPoints, CountForTheAccumulator) {
  // 127 255 40000 fits 31 bits, with biases of 127 200 40000 beside it no more.
  Net net{Shape{1, 1, 200, 200}};
  net.graph.set_outputs({net.fc("fc", net.data, 1)});
  for (float& w : net.parameter("fc", 1)) w = 1;
  Integers bytes;
  const Tensor sample = sample_of(Shape{1, 1, 200, 200}, {0.01, 200}, bytes);
  Net same = net;
  const auto without = quantize_graph(same.graph, observe(same.graph, sample), without_clipping());
  EXPECT_TRUE(without.layers.at(1).doubled_outputs.empty());
  const auto report = quantize_graph(net.graph, observe(net.graph, sample), with_bytes({0.01, 200}));
  EXPECT_EQ(report.layers.at(1).doubled_outputs, (std::vector<int64_t>{0}));
  EXPECT_LT(report.layers.at(1).accumulator_bound, 2147483648.0);
}

}  // namespace
}  // namespace n2d2::testing
