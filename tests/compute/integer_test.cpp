#include "n2d2/compute/integer.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"
#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/resize.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

constexpr double kTop = 32767;  // of I16

template <class T>
Tensor converted(const Tensor& real, DataType type) {
  Tensor out(real.shape(), type);
  for (int64_t i = 0; i < real.elements(); ++i) out.data<T>()[i] = static_cast<T>(real.data<float>()[i]);
  return out;
}

Tensor whole_numbers(const Shape& shape, Rng& rng, int64_t reach = 9) {
  Tensor out(shape);
  for (float& x : out.span())
    x = static_cast<float>(static_cast<int64_t>(rng.below(static_cast<uint64_t>(2 * reach + 1))) - reach);
  return out;
}

/// Makes a float graph of whole numbers one of I16 with scale 1 everywhere: the integers are the floats.
void make_integers(Graph& graph) {
  for (const ValueId id : graph.values()) {
    const graph::Value& value = graph.value(id);
    if (value.is_constant()) {
      const bool is_bias = value.type.shape.rank() == 1;
      graph.set_constant(id, is_bias ? converted<int64_t>(*value.constant, DataType::I64)
                                     : converted<int16_t>(*value.constant, DataType::I16));
      continue;
    }
    TensorType type = value.type;
    type.dtype = DataType::I16;
    type.quant = QuantParams{16, true, -1, {1}};
    graph.set_type(id, type);
  }
  for (const NodeId id : graph.schedule()) {
    const graph::IntegerForm form = graph::integer_form(graph, graph.node(id));
    if (form.scale != graph::ScaleOf::Own) continue;
    Rescale rescale;
    rescale.lo = -32768;
    rescale.hi = 32767;
    if (form.adds == graph::Addends::Inputs) {
      rescale.mode = RescaleMode::FixedPoint32;
      for (const auto& factor : form.factors)
        rescale.multiplier.push_back(static_cast<int32_t>(factor.at(0)));
    } else {
      for (const double factor : form.factors.at(0)) rescale.factor.push_back(static_cast<float>(factor));
    }
    if (form.clamp) {
      rescale.lo = static_cast<int64_t>(std::max(form.clamp->lo, -32768.0F));
      rescale.hi = static_cast<int64_t>(std::min(form.clamp->hi, 32767.0F));
    }
    graph.set_rescale(id, rescale);
  }
}

/// The float loops, exact on small whole numbers, are the oracle of the integer loops.
void expect_equal_to_floats(Net& net) {
  for (const ValueId id : net.graph.values())
    if (net.graph.value(id).is_constant())
      net.graph.set_constant(id, whole_numbers(net.graph.value(id).type.shape, net.rng));
  const Tensor x = whole_numbers(net.graph.value(net.data).type.shape, net.rng);
  const std::map<ValueId, Tensor> expected = evaluate_all(net.graph, x);
  make_integers(net.graph);
  const compute::IntegerExecutor executor(net.graph);
  const auto found = executor.run(converted<int16_t>(x, DataType::I16));
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [id, tensor] : expected) {
    for (const float y : tensor.span()) ASSERT_LE(std::abs(y), kTop);
    EXPECT_TRUE(found.at(id) == converted<int16_t>(tensor, DataType::I16)) << net.graph.value(id).name;
  }
}

TEST(IntegerExecutor, AddsProductsOfWeightsAsFloatsDo) {
  Net net(Shape{1, 4, 7, 6});
  ops::Conv op;
  op.kernel = {3, 2};
  op.stride = {2, 1};
  op.dilation = {1, 2};
  op.padding = {1, 0, 2, 1};
  op.nb_outputs = 6;
  op.groups = 2;
  ops::Conv table;
  table.kernel = {2, 2};
  table.nb_outputs = 2;
  table.connections = {1, 0, 0, 1, 1, 1, 0, 1};
  net.conv("conv", net.data, op);
  net.conv("table", net.data, table);
  net.conv("plain", net.data, 3, 1, false);
  net.fc("fc", net.data, 5);
  expect_equal_to_floats(net);
}

TEST(IntegerExecutor, MovesAndChoosesAsFloatsDo) {
  Net net(Shape{1, 4, 4, 6});
  net.pool("max", net.data, ops::Pooling::Max, 3, {1, 1, 1, 0});
  ops::Pool zeros;
  zeros.kernel = {2, 2};
  zeros.padding = {2, 2, 2, 2};
  zeros.count_zeros = true;
  net.layer("zeros", zeros, {net.data});
  net.padding("pad", net.data, {2, -1, 1, 3});
  net.reshape("flat", net.data, {1, 8, 12});
  net.transpose("turned", net.data, {2, 0, 1});
  net.concat("twice", {net.data, net.relu("relu", net.data), net.saturation("saturation", net.data, 3)});
  for (const auto order : {ops::BlockOrder::Dcr, ops::BlockOrder::Crd})
    for (const bool to_depth : {false, true}) {
      ops::DepthToSpace blocks;
      blocks.block_size = 2;
      blocks.order = order;
      blocks.to_depth = to_depth;
      net.layer(net.graph.unique_name("blocks"), blocks, {net.data});
    }
  for (const auto& [width, height] : {std::pair{12, 8}, {4, 3}, {1, 1}}) {
    ops::Resize resize;
    resize.output_width = width;
    resize.output_height = height;
    net.layer(net.graph.unique_name("resize"), resize, {net.data});
  }
  expect_equal_to_floats(net);
}

TEST(IntegerExecutor, ScalesAndAddsAsFloatsDo) {
  Net net(Shape{1, 3, 2, 4});
  const ValueId pixel = net.pool("max", net.data, ops::Pooling::Max, 2);
  net.sum("minus", {net.data, net.scaling("channels", net.data, {2, -1, 3})}, {3, -2});
  ops::Pool whole;
  whole.kernel = {4, 2};
  net.sum("spread", {net.data, net.layer("whole", whole, {net.data})});
  net.sum("one", {pixel}, {-4});
  expect_equal_to_floats(net);
}

TEST(IntegerExecutor, RoundsTiesToEvenInFloatsAndUpInFixedPoint) {
  for (const bool fixed : {false, true}) {
    Net net(Shape{1, 1, 1, 4});
    const ValueId half = net.scaling("half", net.data, {0.5});
    make_integers(net.graph);
    Rescale rescale{fixed ? RescaleMode::FixedPoint32 : RescaleMode::FloatingPoint, {}, {}, 0, -3, 100};
    if (fixed) {
      rescale.multiplier = {1};
      rescale.shift = 1;
    } else {
      rescale.factor = {0.5F};
    }
    net.graph.set_rescale(net.node("half").id, rescale);
    const Tensor x = converted<int16_t>(Tensor::from(Shape{1, 1, 1, 4}, {1, 3, -5, -100}), DataType::I16);
    const Tensor y = compute::IntegerExecutor(net.graph).run(x).at(half);
    const std::vector<int16_t> found(y.span<int16_t>().begin(), y.span<int16_t>().end());
    EXPECT_EQ(found, fixed ? (std::vector<int16_t>{1, 2, -2, -3}) : (std::vector<int16_t>{0, 2, -2, -3}));
  }
}

TEST(IntegerExecutor, GivesEachSampleOfABatchWhatItGivesAlone) {
  Net net(Shape{1, 2, 3, 3});
  const ValueId y = net.fc("fc", net.conv("conv", net.data, 4, 2), 3);
  for (const ValueId id : net.graph.values())
    if (net.graph.value(id).is_constant())
      net.graph.set_constant(id, whole_numbers(net.graph.value(id).type.shape, net.rng, 3));
  net.graph.set_outputs({y, net.data});
  make_integers(net.graph);
  const compute::IntegerExecutor executor(net.graph);
  const Tensor batch = converted<int16_t>(whole_numbers(Shape{5, 2, 3, 3}, net.rng), DataType::I16);
  const std::vector<Tensor> all = executor.outputs(batch);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[1] == batch);
  for (int64_t n = 0; n < 5; ++n) {
    Tensor sample(Shape{1, 2, 3, 3}, DataType::I16);
    std::copy_n(batch.data<int16_t>() + n * 18, 18, sample.data<int16_t>());
    const Tensor one = executor.run(sample).at(y);
    for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(all[0].data<int16_t>()[n * 3 + i], one.data<int16_t>()[i]);
  }
}

TEST(IntegerExecutor, RefusesFloatsAndLayersWithoutIntegersAllAtOnce) {
  Net net(Shape{1, 2, 2, 2});
  ops::Lrn without;
  without.k = 0;
  net.layer("norm", without, {net.relu("relu", net.data)});
  try {
    compute::IntegerExecutor executor(net.graph);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "net.ini:7: [relu] Relu: 'data' is float32, integers are run\n"
                 "  hint: quantize the graph first (for 4 findings)\n"
                 "net.ini:7: [relu] Relu: 'relu' is float32, integers are run\n"
                 "net.ini:7: [norm] LRN: K=0 has no integer form\n"
                 "  hint: '-export ONNX -nbbits -32' has it; a program needs the network to end before\n"
                 "net.ini:7: [norm] LRN: 'relu' is float32, integers are run\n"
                 "net.ini:7: [norm] LRN: 'norm' is float32, integers are run");
  }
}

}  // namespace
}  // namespace n2d2::testing
