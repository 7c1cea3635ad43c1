#include "n2d2/passes/declared_range.hpp"

#include <gtest/gtest.h>

#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/nonlinearity.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct DeclaredRange : ::testing::Test {
  Net net{Shape{1, 2, 4, 4}};
  Clamp of(ValueId id, const Clamp& input = {}) { return passes::declared_ranges(net.graph, input).at(id); }
};

TEST_F(DeclaredRange, IsOpenForLayersWithWeights) {
  EXPECT_EQ(of(net.conv("c", net.data, 2, 1)), (Clamp{-kInf, kInf}));
}

TEST_F(DeclaredRange, IsWhatTheCallerKnowsOfTheInput) {
  EXPECT_EQ(of(net.data, {0, 1}), (Clamp{0, 1}));
}

TEST_F(DeclaredRange, IsThatOfTheGridOfAnInput) {
  TensorType type = net.graph.value(net.data).type;
  type.quant = QuantParams{8, false, -1, {0.5F}};
  net.graph.set_type(net.data, type);
  EXPECT_EQ(of(net.data), (Clamp{0, 127.5F}));
  type.quant->zero_point = 127.5;
  net.graph.set_type(net.data, type);
  EXPECT_EQ(of(net.reshape("r", net.data, {32, 1, 1})), (Clamp{-63.75F, 63.75F}));
}

TEST_F(DeclaredRange, FollowsClampsAndActivations) {
  const ValueId c = net.conv("c", net.data, 2, 1);
  net.graph.set_clamp(net.node("c").id, Clamp{0, 6});
  EXPECT_EQ(of(c), (Clamp{0, 6}));
  EXPECT_EQ(of(net.relu("r", net.data)), (Clamp{0, kInf}));
  EXPECT_EQ(of(net.relu("r6", net.data, 0, 6)), (Clamp{0, 6}));
  EXPECT_EQ(of(net.relu("leak", net.data, 0.5, 4), {-2, 9}), (Clamp{-1, 4}));
  EXPECT_EQ(of(net.saturation("s", net.data, 2)), (Clamp{-2, 2}));
}

TEST_F(DeclaredRange, TakesInTheZerosOfAPadding) {
  const ValueId p = net.padding("p", net.data, {1, 1, 1, 1});
  EXPECT_EQ(of(p, {2, 3}), (Clamp{0, 3}));
  EXPECT_EQ(of(net.pool("avg", net.data, ops::Pooling::Average, 2, {1, 0, 0, 0}), {2, 3}), (Clamp{0, 3}));
  EXPECT_EQ(of(net.pool("max", net.data, ops::Pooling::Max, 2, {1, 0, 0, 0}), {2, 3}), (Clamp{2, 3}));
}

TEST_F(DeclaredRange, AddsAndScalesIntervals) {
  const ValueId r = net.relu("r", net.data, 0, 2);
  EXPECT_EQ(of(net.sum("plus", {r, r}, {1, 2})), (Clamp{0, 6}));
  EXPECT_EQ(of(net.sum("minus", {r, r}, {1, -1})), (Clamp{-2, 2}));
  EXPECT_EQ(of(net.scaling("x", r, {3, -1})), (Clamp{-2, 6}));
  EXPECT_EQ(of(net.scaling("zero", net.data, {0})), (Clamp{0, 0}));
}

TEST_F(DeclaredRange, IsThatOfTheFunction) {
  const auto range = [&](ops::Function function) {
    ops::Nonlinearity op;
    op.function = function;
    return of(net.layer(op.function_name(), op, {net.data}));
  };
  EXPECT_EQ(range(ops::Function::Logistic), (Clamp{0, 1}));
  EXPECT_EQ(range(ops::Function::Tanh), (Clamp{-1, 1}));
  EXPECT_EQ(range(ops::Function::Softplus), (Clamp{0, kInf}));
  EXPECT_EQ(of(net.layer("log", ops::LogSoftmax(), {net.data})), (Clamp{-kInf, 0}));
}

TEST_F(DeclaredRange, ComparesIntervals) {
  const ValueId a = net.relu("a", net.data, 0, 2), b = net.saturation("b", net.data, 1);
  const auto range = [&](ops::ElemWiseOperation operation) {
    ops::ElemWise op;
    op.operation = operation;
    return of(net.layer(op.operation_name(), op, {a, b}));
  };
  EXPECT_EQ(range(ops::ElemWiseOperation::Max), (Clamp{0, 2}));
  EXPECT_EQ(range(ops::ElemWiseOperation::Min), (Clamp{-1, 1}));
  EXPECT_EQ(range(ops::ElemWiseOperation::EuclideanSum), (Clamp{0, kInf}));
  EXPECT_EQ(range(ops::ElemWiseOperation::Prod), (Clamp{-kInf, kInf}));
  ops::ElemWise with_constant;
  with_constant.constants_from = 1;
  const ValueId constant = net.constant("k", Tensor::from(Shape{1, 1, 1, 1}, {-5}));
  EXPECT_EQ(of(net.layer("sum", with_constant, {a, constant})), (Clamp{-kInf, kInf}));
}

TEST_F(DeclaredRange, UnitesTheBranchesOfAConcatenation) {
  const ValueId r = net.relu("r", net.data, 0, 2), s = net.saturation("s", net.data, 1);
  EXPECT_EQ(of(net.concat("j", {r, s})), (Clamp{-1, 2}));
  EXPECT_EQ(of(net.softmax("soft", r)), (Clamp{0, 1}));
  EXPECT_EQ(of(net.reshape("flat", r, {1, 1, 32})), (Clamp{0, 2}));
}

TEST(Compose, ActsLikeTwoClampsInARow) {
  for (const Clamp& inner : {Clamp{0, 6}, Clamp{-1, 1}, Clamp{3, 4}})
    for (const Clamp& outer : {Clamp{0, 2}, Clamp{-5, -2}, Clamp{-kInf, 5}}) {
      const Clamp both = compose(inner, outer);
      for (float x = -7; x < 8; x += 0.5F) {
        const auto clamp = [](float v, const Clamp& c) { return std::min(std::max(v, c.lo), c.hi); };
        EXPECT_EQ(clamp(x, both), clamp(clamp(x, inner), outer)) << x;
      }
    }
}

}  // namespace
}  // namespace n2d2::testing
