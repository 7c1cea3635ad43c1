// How near are the integers of a layer to the real values of the integers that it reads?
#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/compute/integer.hpp"
#include "n2d2/ops/border.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/quantize/check_integers.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

constexpr int kBoth[] = {8, 16};

struct LayerAccuracy : ::testing::Test {
  /// The largest distance, in steps of the output, once values are saturated.
  double steps_off(ValueId output, int bits, double low = -1, double high = 1) {
    net.graph.set_outputs({output});
    Rng rng(3, "sample");
    Tensor sample = random_tensor(net.graph.value(net.data).type.shape, rng, low, high);
    graph::Graph integers = net.graph;
    quantize::quantize_graph(integers, observe(net.graph, sample),
                             without_clipping(bits, RescaleMode::FixedPoint32));
    Diagnostics findings;
    quantize::check_types(integers, {"net.graph", 0}, findings);
    EXPECT_FALSE(findings.has_errors());
    const QuantParams in = *integers.value(net.data).type.quant, out = *integers.value(output).type.quant;
    Tensor quantized(sample.shape(), integers.value(net.data).type.dtype);
    for (int64_t i = 0; i < sample.elements(); ++i) {
      const double q = std::nearbyint(static_cast<double>(sample.data<float>()[i] / in.scale[0]));
      const double kept = std::clamp(q, static_cast<double>(in.lowest()), static_cast<double>(in.highest()));
      if (bits == 8)
        quantized.data<int8_t>()[i] = static_cast<int8_t>(kept);
      else
        quantized.data<int16_t>()[i] = static_cast<int16_t>(kept);
      sample.data<float>()[i] = static_cast<float>(kept) * in.scale[0];
    }
    const auto reals = evaluate_all(net.graph, sample);
    const Integers found = integers_of(compute::IntegerExecutor(integers).run(quantized).at(output));
    double largest = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      const double wanted = std::clamp(static_cast<double>(reals.at(output).span<float>()[i] / out.scale[0]),
                                       static_cast<double>(out.lowest()), static_cast<double>(out.highest()));
      largest = std::max(largest, std::abs(static_cast<double>(found[i]) - wanted));
    }
    return largest;
  }
  void restart() { net = Net(Shape{1, 7, 4, 4}); }

  Net net{Shape{1, 7, 4, 4}};
};

// An entry of the table errs by half, and a line by 2^-15 Beta (Beta + 1) of the value.
TEST_F(LayerAccuracy, OfAnLrn) {
  for (const int bits : kBoth)
    for (const double alpha : {1e-4, 0.1, 20.0}) {
      restart();
      ops::Lrn op;
      op.alpha = alpha, op.n = 4;
      EXPECT_LT(steps_off(net.layer("y", op, {net.data}), bits), bits == 8 ? 0.53 : 2)
          << bits << " " << alpha;
    }
}

TEST_F(LayerAccuracy, OfALogSoftmax) {
  for (const int bits : kBoth)
    for (const double range : {0.01, 1.0, 12.0}) {
      restart();
      EXPECT_LT(steps_off(net.layer("y", ops::LogSoftmax(), {net.data}), bits, -range, range),
                bits == 8 ? 0.55 : 3)
          << bits << " " << range;
    }
}

TEST_F(LayerAccuracy, OfTheLargestAndSmallest) {
  for (const int bits : kBoth)
    for (const auto operation : {ops::ElemWiseOperation::Max, ops::ElemWiseOperation::Min}) {
      restart();
      ops::ElemWise op;
      op.operation = operation, op.constants_from = 1;
      // Half a step of the constant, and half of the output.
      const ValueId k = net.constant("k", random_tensor(Shape{1, 7, 4, 4}, net.rng));
      EXPECT_LT(steps_off(net.layer("y", op, {net.data, k}), bits), 1.1) << bits;
    }
}

TEST_F(LayerAccuracy, OfSumsAndProductsWithConstantsAlongAMap) {
  for (const int bits : kBoth)
    for (const auto operation : {ops::ElemWiseOperation::Sum, ops::ElemWiseOperation::Prod})
      for (const Shape& shape : {Shape{1, 1, 4, 1}, Shape{1, 7, 1, 4}, Shape{1, 7, 4, 4}}) {
        restart();
        ops::ElemWise op;
        op.operation = operation, op.constants_from = 1;
        const ValueId k = net.constant("k", random_tensor(shape, net.rng));
        EXPECT_LT(steps_off(net.layer("y", op, {net.data, k}), bits), 1.2) << bits << " " << shape.text();
      }
}

TEST_F(LayerAccuracy, OfABorderOfOneValue) {
  for (const int bits : kBoth)
    for (const double value : {0.3, -0.7, -1e30}) {
      restart();
      ops::Border op;
      op.value = value, op.left = op.top = op.right = op.bottom = 1;
      EXPECT_LT(steps_off(net.layer("y", op, {net.data}), bits), 0.51) << bits << " " << value;
    }
}

TEST_F(LayerAccuracy, EntriesOfACurveAreThoseOfItsScale) {
  net.graph.set_outputs({net.layer("y", ops::Lrn(), {net.data})});
  quantize::quantize_graph(net.graph, observe(net.graph, random_tensor(Shape{1, 7, 4, 4}, net.rng)),
                           without_clipping(8));
  const auto curve = net.graph.mutable_constant(net.node("y").inputs.at(1)).span<int32_t>();
  const auto finding = [&] {
    Diagnostics findings;
    quantize::check_types(net.graph, {"net.graph", 0}, findings);
    return findings.has_errors() ? findings.errors()[0].message : "";
  };
  EXPECT_EQ(finding(), "");
  const int32_t entry = curve[3];
  curve[3] = 7;
  EXPECT_EQ(finding(), fmt::format("[y] LRN: table with entry 3 of 7, expected {}", entry));
}

TEST_F(LayerAccuracy, OperandsHaveOneScale) {
  ops::ElemWise op;
  op.operation = ops::ElemWiseOperation::Prod, op.constants_from = 1;
  net.graph.set_outputs(
      {net.layer("y", op, {net.data, net.constant("k", random_tensor(Shape{1, 1, 4, 4}, net.rng))})});
  quantize::quantize_graph(net.graph, observe(net.graph, random_tensor(Shape{1, 7, 4, 4}, net.rng)),
                           without_clipping(8));
  const ValueId k = net.node("y").inputs.at(1);
  net.graph.set_constant(k, *net.graph.value(k).constant, std::nullopt);
  Diagnostics findings;
  quantize::check_types(net.graph, {"net.graph", 0}, findings);
  ASSERT_TRUE(findings.has_errors());
  EXPECT_EQ(findings.errors()[0].message,
            "[y] ElemWise: expected a constant of integers with one scale as operand 1, got 'k'");
}

}  // namespace
}  // namespace n2d2::testing
