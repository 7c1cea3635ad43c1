#include "n2d2/ops/recurrent.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

/// Sums of a few numbers in float.
constexpr float kRounding = 1e-6F;

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

/// Two steps of one channel; weights of all gates in order, then those of the state, then both biases.
std::vector<float> states(Cell cell, const std::vector<float>& w, const std::vector<float>& r,
                          const std::vector<float>& b, bool linear = false,
                          Direction direction = Direction::Forward, bool last = false) {
  Recurrent op;
  op.cell = cell, op.hidden = 1, op.linear_before_reset = linear, op.direction = direction,
  op.last_step = last;
  const std::vector<Tensor> in{Tensor::from({1, 1, 1, 2}, {1, -0.5F}), Tensor::from({op.rows(), 1}, w),
                               Tensor::from({op.rows(), 1}, r), Tensor::from({2 * op.rows()}, b)};
  const Tensor out = testing::forward(op, in);
  return {out.span().begin(), out.span().end()};
}
auto near(const std::vector<float>& expected) {
  return Pointwise(FloatNear(kRounding), expected);
}

TEST(Recurrent, AnRnnIsATanhOfBothSums) {
  const double first = std::tanh(0.5 + 0.1 + 0.2), second = std::tanh(-0.25 + 0.75 * first + 0.1 + 0.2);
  EXPECT_THAT(states(Cell::Rnn, {0.5F}, {0.75F}, {0.1F, 0.2F}),
              near({static_cast<float>(first), static_cast<float>(second)}));
}

TEST(Recurrent, AnLstmHasGatesForInputOutputForgetAndCell) {
  const std::vector<float> w{0.5F, -0.25F, 1, 0.75F}, r{0.1F, 0.2F, 0.3F, 0.4F},
      b{0, 0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F};
  double h = 0, c = 0;
  std::vector<float> expected;
  for (const double x : {1.0, -0.5}) {
    const auto sum = [&](int gate) {
      return static_cast<double>(w[gate]) * x + static_cast<double>(r[gate]) * h +
             static_cast<double>(b[gate]) + static_cast<double>(b[4 + gate]);
    };
    const double input = logistic(sum(0)), output = logistic(sum(1)), forget = logistic(sum(2)),
                 news = std::tanh(sum(3));
    c = forget * c + input * news;
    h = output * std::tanh(c);
    expected.push_back(static_cast<float>(h));
  }
  EXPECT_THAT(states(Cell::Lstm, w, r, b), near(expected));
}

TEST(Recurrent, AGruResetsTheStateOrItsProduct) {
  const std::vector<float> w{0.5F, -0.25F, 1}, r{0.1F, 0.2F, 0.3F}, b{0, 0.1F, 0.2F, 0.3F, 0.4F, 0.5F};
  for (const bool linear : {false, true}) {
    double h = 0;
    std::vector<float> expected;
    for (const double x : {1.0, -0.5}) {
      const double update = logistic(0.5 * x + 0.1F * h + 0.3F),
                   reset = logistic(-0.25 * x + 0.2F * h + 0.5F);
      const double inside = linear ? reset * (0.3F * h + 0.5F) : 0.3F * (reset * h) + 0.5F;
      h = (1 - update) * std::tanh(x + 0.2F + inside) + update * h;
      expected.push_back(static_cast<float>(h));
    }
    EXPECT_THAT(states(Cell::Gru, w, r, b, linear), near(expected)) << linear;
  }
}

TEST(Recurrent, TheSecondDirectionGoesFromTheLastStepToTheFirst) {
  const double last = std::tanh(-0.5 * 0.5), first = std::tanh(0.5 + 0.75 * last);
  const std::vector<float> back{static_cast<float>(first), static_cast<float>(last)};
  EXPECT_THAT(states(Cell::Rnn, {0.5F}, {0.75F}, {0, 0}, false, Direction::Reverse), near(back));
  const double there = std::tanh(1), then = std::tanh(-0.5 + 0.25 * there);
  EXPECT_THAT(states(Cell::Rnn, {1, 0.5F}, {0.25F, 0.75F}, {0, 0, 0, 0}, false, Direction::Both),
              near({static_cast<float>(there), static_cast<float>(then), back[0], back[1]}));
  EXPECT_THAT(states(Cell::Rnn, {1, 0.5F}, {0.25F, 0.75F}, {0, 0, 0, 0}, false, Direction::Both, true),
              near({static_cast<float>(then), back[0]}));
}

TEST(Recurrent, WantsOneRowOrOneColumnAndFittingWeights) {
  Recurrent op;
  op.hidden = 2;
  const std::vector<Shape> square{{1, 3, 2, 2}, {8, 3}, {8, 2}, {16}},
      wrong{{1, 3, 1, 4}, {8, 4}, {8, 2}, {16}};
  EXPECT_THROW(op.infer(square), ModelError);
  EXPECT_THROW(op.infer(wrong), ModelError);
  EXPECT_EQ(op.infer(std::vector<Shape>{{1, 3, 1, 4}, {8, 3}, {8, 2}, {16}})[0], (Shape{1, 2, 1, 4}));
  EXPECT_EQ(op.infer(std::vector<Shape>{{1, 3, 4, 1}, {8, 3}, {8, 2}, {16}})[0], (Shape{1, 2, 4, 1}));
}

/// The table of an LSTM of one unit and one channel per row of weights.
std::vector<int32_t> table(const std::vector<float>& w, const QuantParams& in, std::vector<double> means) {
  Recurrent op;
  op.hidden = 1;
  const Tensor weights = Tensor::from({4, static_cast<int64_t>(w.size() / 4)}, w),
               state = Tensor(Shape{4, 1}), biases = Tensor(Shape{8});
  const graph::IntegerForm form =
      op.integer_form(std::vector<Shape>{{1, 1, 1, 4}, weights.shape(), state.shape(), biases.shape()});
  const QuantParams out{8, true, -1, {1.0F / 128}};
  const auto made = form.parameters({in, out, {&weights, &state, &biases}, std::move(means)});
  EXPECT_EQ(form.parameter_fault(std::vector<const Tensor*>{&made[0], &made[1], &made[2]}), "");
  const auto entries = made[2].span<int32_t>();
  return {entries.begin(), entries.end()};
}

TEST(Recurrent, ARowOfZerosDoesNotDecideTheUnitOfTheOthers) {
  const QuantParams in{8, true, -1, {0.01F}};
  const std::vector<int32_t> whole = table({1e-5F, 1e-5F, 1e-5F, 1e-5F}, in, {}),
                             pruned = table({1e-5F, 0, 1e-5F, 1e-5F}, in, {});
  EXPECT_EQ(pruned[0], whole[0]) << "the shift";
  EXPECT_EQ(pruned[4], whole[4]) << "the multiplier of the first row";
  EXPECT_GT(pruned[4], 1 << 20);
  EXPECT_EQ(pruned[8], 0);
}

TEST(Recurrent, WhatRoundingTakesAtTheMeansIsInTheBiases) {
  const QuantParams in{8, true, -1, {1}};
  // 0.0035 / (1 / 127) is 0.4445: the second weight of each row becomes 0.
  const std::vector<float> rows{1, 0.0035F, 1, 0.0035F, 1, 0.0035F, 1, 0.0035F};
  EXPECT_EQ(table(rows, in, {})[6], 0);
  EXPECT_NEAR(table(rows, in, {0, 100})[6], 0.35 * 65536, 1);
}

}  // namespace
}  // namespace n2d2::ops
