#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/normalize.hpp"
#include "n2d2/ops/prelu.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

std::string message(Net& net, std::vector<ValueId> outputs) {
  net.graph.set_outputs(std::move(outputs));
  const quantize::Ranges ranges =
      observe(net.graph, random_tensor(net.graph.value(net.data).type.shape, net.rng));
  try {
    quantize::quantize_graph(net.graph, ranges, without_clipping());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(WithoutIntegers, ListsEveryLayerWithoutIntegerForm) {
  Net net(Shape{1, 2, 2, 2});
  ValueId x = net.layer("attention", ops::Normalize(), {net.conv("conv", net.data, 2, 1)});
  x = net.dropout("drop", net.batchnorm("bn", x));
  net.graph.set_outputs({x});
  EXPECT_EQ(message(net, {x}),
            "net.ini:7: [attention] Normalize: a division by the length of a vector has no integer form\n"
            "  hint: in front of an Fc with NoBias=1 that ends the network it changes no order of classes: "
            "leave it "
            "out\n"
            "net.ini:7: [bn] BatchNorm: it has no integer form and was not removed before quantization\n"
            "  hint: the float pipeline of an export removes it (for 2 findings)\n"
            "net.ini:7: [drop] Dropout: it has no integer form and was not removed before quantization");
}

TEST(WithoutIntegers, KnowsWhichLeaksHaveNone) {
  Net net(Shape{1, 2, 2, 2});
  ops::Relu clipped;
  clipped.leak_slope = -0.1, clipped.clipping = 6;
  const ValueId x = net.layer("folded", clipped, {net.relu("steep", net.data, 101)});
  EXPECT_EQ(message(net, {x}),
            "net.ini:7: [steep] Relu: LeakSlope 101 has no integer form\n"
            "  hint: slopes from -100 to 100 have one\n"
            "net.ini:7: [folded] Relu: LeakSlope -0.1 with Clipping has no integer form\n"
            "  hint: use one of them");
}

/// Its input, twice.
struct Twice final : graph::OperatorBase<Twice> {
  static constexpr const char* kType = "Twice";
  template <class V>
  static void fields(V&&) {}
  std::vector<Shape> infer(std::span<const Shape> in) const override { return {in[0], in[0]}; }
  void forward(const graph::ForwardArgs& args) const override {
    for (Tensor* out : args.out) std::copy_n(args.in[0]->data<float>(), out->elements(), out->data<float>());
  }
  graph::IntegerForm integer_form(std::span<const Shape>) const override { return graph::moved_integers(); }
};

TEST(WithoutIntegers, SaysOfEachLayerWhetherItHasNone) {
  Net net(Shape{1, 2, 2, 2});
  const ValueId max = net.pool("max", net.conv("conv", net.data, 2, 1), ops::Pooling::Max, 1);
  net.graph.set_outputs({net.pool("clamped", net.batchnorm("bn", max), ops::Pooling::Max, 2)});
  net.graph.set_clamp(net.node("clamped").id, Clamp{0, 1});
  Diagnostics findings;
  for (const char* name : {"conv", "max"})
    EXPECT_FALSE(quantize::find_without_integers(net.graph, net.node(name), findings)) << name;
  EXPECT_FALSE(findings.has_errors());
  for (const char* name : {"bn", "clamped"})
    EXPECT_TRUE(quantize::find_without_integers(net.graph, net.node(name), findings)) << name;
  EXPECT_EQ(findings.errors().size(), 2U);
}

TEST(WithoutIntegers, RefusesLayersWithSeveralOutputs) {
  Net net(Shape{1, 2, 2, 2});
  const ValueId x = net.layer("both", Twice(), {net.data});
  EXPECT_EQ(message(net, {x}),
            "net.ini:7: [both] Twice: a layer with several outputs has no integer form\n"
            "  hint: make a layer of each output");
}

TEST(WithoutIntegers, NamesTheFunctionThatOnlyRunsInFloat) {
  Net net(Shape{1, 2, 2, 2});
  ops::ElemWise lengths;
  lengths.operation = ops::ElemWiseOperation::EuclideanSum;
  ValueId x = net.layer("lengths", lengths, {net.data, net.data});
  x = net.layer("slopes", ops::PRelu(), {x, net.constant("p", Tensor(Shape{1, 2, 2, 1}))});
  EXPECT_EQ(message(net, {x}),
            "net.ini:7: [lengths] ElemWise: Operation=EuclideanSum has no integer form\n"
            "  hint: Sum, Prod, Max and Min have one\n"
            "net.ini:7: [slopes] PRelu: slopes that vary along height or width have no integer form\n"
            "  hint: one slope, or one a channel, has");
}

TEST(WithoutIntegers, ThrowsAnExportErrorAndLeavesTheGraphAlone) {
  Net net(Shape{1, 2, 1, 1});
  net.graph.set_outputs({net.layer("log", ops::Normalize(), {net.fc("fc", net.data, 3)})});
  const quantize::Ranges ranges = observe(net.graph, random_tensor(Shape{1, 2, 1, 1}, net.rng));
  EXPECT_THROW(quantize::quantize_graph(net.graph, ranges, without_clipping()), ExportError);
  EXPECT_EQ(net.graph.value(net.data).type.dtype, DataType::F32);
}

TEST(WithoutIntegers, RefusesSumsWithoutIntegerForm) {
  Net net(Shape{1, 2, 2, 2});
  ops::ElemWise shifted;
  shifted.shifts = {0, 0.5};
  ops::ElemWise uneven;
  uneven.coeff_mode = ops::CoeffMode::PerChannel;
  uneven.weights = {1, 2};
  const ValueId a = net.layer("shifted", shifted, {net.data, net.data});
  const ValueId b = net.layer("uneven", uneven, {net.data, net.data});
  EXPECT_EQ(message(net, {a, b}),
            "net.ini:7: [shifted] ElemWise: Shifts other than 0 have no integer form\n"
            "net.ini:7: [uneven] ElemWise: Weights that differ between channels have no integer form\n"
            "  hint: use CoeffMode=PerInput, or a Scaling layer in front");
}

TEST(WithoutIntegers, RefusesAClampOnALayerThatMovesIntegers) {
  Net net(Shape{1, 2, 2, 2});
  const ValueId x = net.pool("max", net.data, ops::Pooling::Max, 2);
  net.graph.set_clamp(net.node("max").id, Clamp{0, 1});
  EXPECT_EQ(message(net, {x}),
            "net.ini:7: [max] Pool: a layer that only moves integers cannot clamp them\n"
            "  hint: put the activation on the layer before");
}

TEST(Constants, AreNamedWhenTheyAreTooLarge) {
  Net net(Shape{1, 2, 2, 2});
  net.graph.set_outputs({net.conv("conv", net.data, 2, 1)});
  log::Capture warnings;
  quantize::warn_of_large_constants(net.graph);
  EXPECT_EQ(warnings.text(), "");
  net.parameter("conv", 2)[1] = -1e30F;
  quantize::warn_of_large_constants(net.graph);
  EXPECT_EQ(warnings.text(),
            "net.ini:7: [conv] Conv: expected finite biases of a usual size, got -1e+30 at index 1\n"
            "  hint: check the weight files: beside it, integers lose every other value\n");
}

TEST(WithoutIntegers, RefusesWeightsThatAreNotFinite) {
  Net net(Shape{1, 2, 2, 2});
  const ValueId x = net.conv("conv", net.data, 2, 1);
  net.graph.set_outputs({x});
  const quantize::Ranges ranges = observe(net.graph, random_tensor(Shape{1, 2, 2, 2}, net.rng));
  net.parameter("conv", 2)[1] = NAN;
  try {
    quantize::quantize_graph(net.graph, ranges, without_clipping());
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "net.ini:7: [conv] Conv: expected finite biases, got nan at index 1\n"
                 "  hint: lower the learning rate, or check the weight files");
  }
}

TEST(WithoutIntegers, RefusesAProductThatNoAccumulatorHolds) {
  Net net(Shape{1, 2, 2, 2});
  ops::ElemWise product;
  product.operation = ops::ElemWiseOperation::Prod;
  const ValueId x = net.layer("power", product, {net.data, net.data, net.data, net.data, net.data});
  EXPECT_EQ(
      message(net, {x}),
      "net.ini:7: [power] ElemWise: a product of 5 values can reach 3.43597e+10, more than the accumulator "
      "holds\n  hint: multiply in two steps");
}

TEST(WithoutIntegers, RefusesAWindowThatNoAccumulatorHolds) {
  Net net(Shape{1, 3, 3000, 3000});
  ops::Pool op;
  op.kernel = {3000, 3000};
  op.pooling = ops::Pooling::Average;
  net.graph.set_outputs({net.layer("pool", op, {net.data})});
  try {
    quantize::quantize_graph(net.graph, ranges_of({{"data", {0, 1}}, {"pool", {0, 1}}}).of(net.graph),
                             without_clipping());
    FAIL();
  } catch (const ExportError& error) {
    EXPECT_STREQ(error.what(),
                 "net.ini:7: [pool] Pool: a sum of 9000000 values can reach 2.295e+09, more than the "
                 "accumulator holds\n  hint: sum in two steps");
  }
}

}  // namespace
}  // namespace n2d2::testing
