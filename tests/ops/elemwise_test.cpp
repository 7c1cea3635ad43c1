#include "n2d2/ops/elemwise.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::infer_error;

const std::vector<Tensor>& two_inputs() {
  static const std::vector<Tensor> in{Tensor::from({1, 2, 1, 1}, {1, 2}),
                                      Tensor::from({1, 2, 1, 1}, {10, 20})};
  return in;
}

TEST(ElemWise, SumsItsInputs) {
  EXPECT_THAT(testing::values(testing::forward(ElemWise(), two_inputs())), ElementsAre(11, 22));
}

TEST(ElemWise, WeighsAndShiftsByLayerInputOrChannel) {
  ElemWise op;
  op.weights = {2, 3};
  op.shifts = {100};
  EXPECT_THAT(testing::values(testing::forward(op, two_inputs())), ElementsAre(132, 164));
  op.coeff_mode = CoeffMode::PerChannel;
  EXPECT_THAT(testing::values(testing::forward(op, two_inputs())), ElementsAre(222, 66));
  op.coeff_mode = CoeffMode::PerLayer;
  op.weights = {2};
  EXPECT_THAT(testing::values(testing::forward(op, two_inputs())), ElementsAre(222, 244));
}

ElemWise with(ElemWiseOperation operation, std::vector<double> weights = {},
              std::vector<double> shifts = {}) {
  ElemWise op;
  op.operation = operation;
  op.weights = std::move(weights);
  op.shifts = std::move(shifts);
  return op;
}

TEST(ElemWise, MultipliesComparesAndDivides) {
  const std::vector<Tensor> in{Tensor::from({1, 1, 1, 3}, {-3, 2, 5}),
                               Tensor::from({1, 1, 1, 3}, {4, -8, 5})};
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::Prod), in)),
              ElementsAre(-12, -16, 25));
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::Max), in)), ElementsAre(4, 2, 5));
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::Min), in)), ElementsAre(-3, -8, 5));
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::Div), in)),
              ElementsAre(-0.75F, -0.25F, 1));
}

TEST(ElemWise, SumsMagnitudesAndSquares) {
  const std::vector<Tensor> in{Tensor::from({1, 1, 1, 2}, {-3, 2}), Tensor::from({1, 1, 1, 2}, {4, -8})};
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::AbsSum, {2, -1}, {10}), in)),
              ElementsAre(12, 6));
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::EuclideanSum, {-1, 2}, {0, 6}), in)),
              ElementsAre(std::sqrt(9.0F + 64 + 36), std::sqrt(4.0F + 256 + 36)));
}

TEST(ElemWise, GivesExtentsOfOneToAllElementsOfTheOthers) {
  const Tensor map = Tensor::from({1, 2, 1, 2}, {1, 2, 3, 4}), gate = Tensor::from({1, 2, 1, 1}, {10, 100});
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::Prod), {map, gate})),
              ElementsAre(10, 20, 300, 400));
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::Prod), {gate, map})),
              ElementsAre(10, 20, 300, 400));
  const Tensor attention = Tensor::from({1, 1, 1, 2}, {10, 100});
  EXPECT_THAT(testing::values(testing::forward(with(ElemWiseOperation::Sum), {attention, gate})),
              ElementsAre(20, 110, 110, 200));
}

TEST(ElemWise, AConstantMeetsEverySample) {
  ElemWise op;
  op.constants_from = 1;
  EXPECT_EQ(op.input_role(0), "");
  EXPECT_EQ(op.input_role(1), "operands");
  EXPECT_EQ(ElemWise().input_role(1), "");
  const Tensor data = Tensor::from({2, 1, 1, 2}, {1, 2, 3, 4}), offset = Tensor::from({1, 1, 1, 2}, {10, 20});
  EXPECT_THAT(testing::values(testing::forward(op, {data, offset})), ElementsAre(11, 22, 13, 24));
}

TEST(ElemWise, SumsProductsAndExtremesHaveIntegerForms) {
  const std::vector<Shape> in{{1, 2, 1, 1}, {1, 1, 1, 1}};
  ElemWise op;
  op.weights = {2, -1};
  const graph::IntegerForm form = op.integer_form(in);
  EXPECT_EQ(form.scale, graph::ScaleOf::Own);
  EXPECT_EQ(form.adds, graph::Addends::Inputs);
  EXPECT_EQ(form.factors, (std::vector<std::vector<double>>{{2}, {-1}}));
  const graph::IntegerForm product = with(ElemWiseOperation::Prod).integer_form(in);
  EXPECT_EQ(product.scale, graph::ScaleOf::Own);
  EXPECT_EQ(product.adds, graph::Addends::Product);
  for (const ElemWiseOperation operation : {ElemWiseOperation::Max, ElemWiseOperation::Min}) {
    const graph::IntegerForm extreme = with(operation).integer_form(in);
    EXPECT_EQ(extreme.scale, graph::ScaleOf::Own);
    EXPECT_EQ(extreme.adds, graph::Addends::Inputs);
    EXPECT_EQ(extreme.factors, (std::vector<std::vector<double>>{{1}, {1}}));
    EXPECT_TRUE(extreme.reads_zeros);
  }
  for (const ElemWiseOperation operation :
       {ElemWiseOperation::AbsSum, ElemWiseOperation::EuclideanSum, ElemWiseOperation::Div})
    EXPECT_EQ(with(operation).integer_form(in).scale, graph::ScaleOf::None);
}

TEST(ElemWise, NamesAllThatASumHasAndIntegersHaveNot) {
  ElemWise op;
  op.coeff_mode = CoeffMode::PerChannel;
  op.weights = {1, 2};
  op.shifts = {0, 1};
  op.constants_from = 1;
  const std::vector<Shape> in{{1, 2, 1, 1}, {1, 1, 1, 1}};
  EXPECT_EQ(op.integer_form(in).scale, graph::ScaleOf::None);
  EXPECT_EQ(op.integer_form(in).why_not.size(), 2U);
}

TEST(ElemWise, TheFirstOfEqualInputsHasTheGradient) {
  const Tensor x = Tensor::from({1, 1, 1, 1}, {3}), one = Tensor::from({1, 1, 1, 1}, {1});
  for (const auto operation : {ElemWiseOperation::Max, ElemWiseOperation::Min}) {
    const auto gradients = testing::backward(with(operation), {x, x, x}, one);
    EXPECT_THAT(testing::values(gradients[0]), ElementsAre(1));
    EXPECT_THAT(testing::values(gradients[1]), ElementsAre(0));
    EXPECT_THAT(testing::values(gradients[2]), ElementsAre(0));
  }
}

TEST(ElemWise, GradientsOfEveryOperationAgreeWithFiniteDifferences) {
  const std::vector<Shape> maps{{2, 3, 2, 2}, {2, 3, 1, 1}, {2, 1, 2, 2}};
  for (const auto operation : {ElemWiseOperation::Sum, ElemWiseOperation::AbsSum,
                               ElemWiseOperation::EuclideanSum, ElemWiseOperation::Prod}) {
    SCOPED_TRACE(ValueText<ElemWiseOperation>::print(operation));
    testing::expect_gradients(with(operation), maps);
  }
  testing::expect_gradients(with(ElemWiseOperation::EuclideanSum, {2, -1, 0.5}, {1}), maps);
  testing::expect_gradients(with(ElemWiseOperation::AbsSum, {2, -1, 0.5}), maps);
  // Two draws of spread() on one shape never come closer than the step of the differences to each other.
  const Tensor x = testing::spread({2, 3, 2, 2}, 1), y = testing::spread({2, 3, 2, 2}, 2);
  for (const auto operation : {ElemWiseOperation::Max, ElemWiseOperation::Min}) {
    Tensor apart = y;
    for (float& v : apart.span()) v += 0.03F;
    testing::expect_gradients(with(operation), {x, apart});
  }
  Tensor divisor = y;
  for (float& v : divisor.span()) v = v < 0 ? v - 1 : v + 1;
  testing::expect_gradients(with(ElemWiseOperation::Div), {x, divisor});
}

TEST(ElemWise, GradientsAgreeWithFiniteDifferences) {
  ElemWise op;
  op.weights = {0.5, -2};
  op.shifts = {1, 2, 3};
  testing::expect_gradients(op, {{2, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 2}});
}

TEST(ElemWise, SaysWhatIsWrong) {
  ElemWise op;
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 2}, {1, 2, 1, 3}}), "input 1 has shape 1x2x1x3, input 0 has 1x2x1x2");
  EXPECT_EQ(infer_error(op, {{1, 2, 4, 1}, {1, 1, 1, 1}, {1, 2, 3, 1}}),
            "input 2 has shape 1x2x3x1, input 0 has 1x2x4x1");
  op.weights = {1, 2, 3};
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}, {1, 2, 1, 1}}),
            "Weights has 3 values, expected at most 2 (one an input)");
  op.weights = {};
  op.shifts = {1, 2, 3};
  op.coeff_mode = CoeffMode::PerChannel;
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}}), "Shifts has 3 values, expected at most 2 (one a channel)");
  op.coeff_mode = CoeffMode::PerLayer;
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}}), "Shifts has 3 values, expected at most 1 (one a layer)");
  op.operation = ElemWiseOperation::Max;
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}}), "Shifts have no meaning with Operation=Max");
  op.weights = {1};
  EXPECT_EQ(infer_error(op, {{1, 2, 1, 1}}), "Weights have no meaning with Operation=Max");
  EXPECT_EQ(infer_error(with(ElemWiseOperation::Div), {{1, 2, 1, 1}}), "expected 2 inputs, got 1");
}

}  // namespace
}  // namespace n2d2::ops
