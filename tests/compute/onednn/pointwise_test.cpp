#include <gtest/gtest.h>

#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/prelu.hpp"

#include "compute/onednn/agreement.hpp"

namespace n2d2::compute {
namespace {

using testing::expect_agreement;
using testing::Network;

Network trunk() {
  Network net({1, 3, 5, 4});
  net.conv(7, 3, 1, 1);
  return net;
}

/// The library has none of the functions behind these, some of which have steps and poles.
constexpr size_t kFunctions = static_cast<size_t>(ops::Function::GeluTanh) + 1;

TEST(OneDnnNonlinearity, AgreesOnEveryFunctionAndParameter) {
  for (size_t i = 0; i < kFunctions; ++i)
    for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {1.0 / 6, 0.5}, {0.7, 0.25}}) {
      Network net = trunk();
      ops::Nonlinearity op;
      op.function = static_cast<ops::Function>(i);
      op.alpha = alpha;
      op.beta = op.function == ops::Function::Selu ? 1.05 : beta;
      SCOPED_TRACE(fmt::format("{} with {} and {}", op.function_name(), alpha, op.beta));
      net.add(op);
      expect_agreement(net);
    }
}

TEST(OneDnnNonlinearity, AgreesFarFromZero) {
  for (size_t i = 0; i < kFunctions; ++i) {
    Network net({1, 3, 5, 4});
    net.conv(7, 3, 1, 1);
    for (float& w : net.graph.mutable_constant(net.parameters[0]).span()) w *= 50;
    ops::Nonlinearity op;
    op.function = static_cast<ops::Function>(i);
    op.beta = 1;
    SCOPED_TRACE(op.function_name());
    net.add(op);
    expect_agreement(net);
  }
}

/// All values of the network on these numbers, by the library.
std::vector<float> run(Network& net, const std::vector<float>& in) {
  net.graph.set_outputs({net.last});
  Executor executor(net.graph, {.backend = Backend::OneDnn});
  executor.forward(Tensor::from(net.graph.value(net.graph.inputs()[0]).type.shape, in));
  const Tensor out = executor.read(net.last);
  return {out.span().begin(), out.span().end()};
}

TEST(OneDnnNonlinearity, StaysInTheDeclaredRange) {
  std::vector<float> sweep;
  for (int i = -4000; i < 1200; ++i) sweep.push_back(static_cast<float>(i) / 128);
  for (size_t i = 0; i < EnumText<ops::Function>::names.size(); ++i) {
    Network net({1, 1, 1, static_cast<int64_t>(sweep.size())});
    ops::Nonlinearity op;
    op.function = static_cast<ops::Function>(i);
    net.add(op);
    for (const float y : run(net, sweep)) {
      ASSERT_GE(y, op.bounds().lo) << op.function_name();
      ASSERT_LE(y, op.bounds().hi) << op.function_name();
    }
  }
}

TEST(OneDnnLogSoftmax, IsNeverAboveZero) {
  for (int i = 0; i < 200; ++i) {
    Network net({1, 2, 1, 1});
    net.add(ops::LogSoftmax());
    const float x = static_cast<float>(i) / 8;
    for (const float y : run(net, {x, -x})) ASSERT_LE(y, 0) << x;
  }
}

TEST(OneDnnElemWise, ReadsConstantOperandsAnew) {
  Network net({1, 2, 1, 1});
  ops::ElemWise op;
  op.operation = ops::ElemWiseOperation::Prod;
  op.constants_from = 1;
  const graph::ValueId factor = net.graph.add_constant("factor", Tensor::from({1, 2, 1, 1}, {2, 3}));
  net.add(op, {net.last, factor});
  net.graph.set_outputs({net.last});
  Executor executor(net.graph, {.backend = Backend::OneDnn});
  const Tensor x = Tensor::from({1, 2, 1, 1}, {1, 1});
  executor.forward(x);
  EXPECT_EQ(executor.read(net.last).span()[1], 3);
  net.graph.mutable_constant(factor).span()[1] = 5;
  executor.forward(x);
  EXPECT_EQ(executor.read(net.last).span()[1], 5);
}

TEST(OneDnnLogSoftmax, AgreesOnVectorsAndMaps) {
  Network map = trunk();
  map.add(ops::LogSoftmax());
  expect_agreement(map);
  Network vector = trunk();
  vector.fc(11);
  vector.add(ops::LogSoftmax());
  expect_agreement(vector);
}

TEST(OneDnnPRelu, AgreesOnSlopesOfAChannelAndOfAPlace) {
  for (const Shape& slopes : {Shape{1, 7, 1, 1}, Shape{1, 1, 1, 1}, Shape{1, 7, 5, 4}}) {
    Network net = trunk();
    const graph::ValueId x = net.last;
    net.add(ops::PRelu(), {x, net.graph.add_constant("slopes", testing::random_tensor(slopes, 3))});
    expect_agreement(net);
  }
}

/// One operand of the shape of the map, and others of the given ones, made by average pools and convolutions.
struct Joined {
  Network net = trunk();
  graph::ValueId map = net.last, vector, plane;

  Joined() {
    ops::Pool pool;
    pool.pooling = ops::Pooling::Average;
    pool.kernel = {4, 5};
    net.add(pool);
    vector = net.last;
    net.last = map;
    net.conv(1, 1, 1, 0);
    plane = net.last;
  }
  void check(ops::ElemWise op, const std::vector<graph::ValueId>& operands) {
    SCOPED_TRACE(op.operation_name());
    net.add(op, operands);
    expect_agreement(net);
  }
};

TEST(OneDnnElemWise, AgreesOnOperandsThatRepeatTheirElements) {
  for (size_t i = 0; i < EnumText<ops::ElemWiseOperation>::names.size(); ++i) {
    ops::ElemWise op;
    op.operation = static_cast<ops::ElemWiseOperation>(i);
    if (op.operation == ops::ElemWiseOperation::Div) continue;  // by values around zero
    for (const int which : {0, 1, 2, 3}) {
      Joined j;
      const std::vector<graph::ValueId> operands = which == 0   ? std::vector{j.map, j.vector}
                                                   : which == 1 ? std::vector{j.plane, j.map, j.vector}
                                                   : which == 2 ? std::vector{j.vector, j.plane}
                                                                : std::vector{j.map, j.map};
      j.check(op, operands);
    }
  }
}

TEST(OneDnnElemWise, AgreesOnWeightedSumsOfRepeatedElements) {
  ops::ElemWise op;
  op.weights = {0.5, -2, 3};
  Joined whole;
  whole.check(op, {whole.plane, whole.map, whole.vector});
  op.shifts = {1};
  Joined shifted;
  shifted.check(op, {shifted.plane, shifted.map, shifted.vector});
}

TEST(OneDnnElemWise, AgreesOnConstantsOfEveryExtent) {
  for (const auto operation : {ops::ElemWiseOperation::Sum, ops::ElemWiseOperation::Prod,
                               ops::ElemWiseOperation::Max, ops::ElemWiseOperation::Div})
    for (const Shape& shape : {Shape{1, 7, 5, 4}, Shape{1, 1, 1, 4}, Shape{1, 7, 1, 1}, Shape{1, 1, 5, 1}}) {
      Joined j;
      ops::ElemWise op;
      op.operation = operation;
      op.constants_from = 1;
      Tensor constant = testing::random_tensor(shape, 4);
      for (float& v : constant.span()) v = v < 0 ? v - 1 : v + 1;
      j.check(op, {j.map, j.net.graph.add_constant("k", constant)});
    }
}

TEST(OneDnnElemWise, AgreesWithAClamp) {
  Joined j;
  ops::ElemWise op;
  op.operation = ops::ElemWiseOperation::Prod;
  j.net.graph.set_clamp(j.net.add(op, {j.map, j.vector}), Clamp{-0.1F, 0.1F});
  expect_agreement(j.net);
}

}  // namespace
}  // namespace n2d2::compute
