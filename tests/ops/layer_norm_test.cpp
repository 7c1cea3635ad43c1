#include "n2d2/ops/layer_norm.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/graph/integers.hpp"

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

LayerNorm norm(double epsilon, bool centered = true) {
  LayerNorm op;
  op.epsilon = epsilon, op.centered = centered;
  return op;
}

TEST(LayerNorm, TakesMeanAndDeviationOffTheChannelsOfEachPosition) {
  const Tensor x = Tensor::from({1, 4, 1, 2}, {1, 10, 3, 10, 5, 10, 7, 10});
  const Tensor y =
      testing::forward(norm(0), {x, Tensor::from({4}, {1, 1, 2, 1}), Tensor::from({4}, {0, 0, 0, 5})});
  const auto deviation = static_cast<float>(std::sqrt(5.0));
  const float wanted[] = {-3 / deviation, 0, -1 / deviation, 0, 2 / deviation, 0, 3 / deviation + 5, 5};
  for (size_t i = 0; i < 8; ++i) EXPECT_FLOAT_EQ(y.span<float>()[i], wanted[i]) << i;
}

TEST(LayerNorm, MayTakeTheMeanForZero) {
  const Tensor y =
      testing::forward(norm(11, false), {Tensor::from({1, 2, 1, 1}, {1, 7}), Tensor::from({2}, {1, 3})});
  EXPECT_FLOAT_EQ(y.data<float>()[0], 1.0F / 6);
  EXPECT_FLOAT_EQ(y.data<float>()[1], 3.5F);
}

TEST(LayerNorm, SaysWhatDoesNotFit) {
  EXPECT_EQ(testing::infer_error(norm(0), {{1, 4, 1, 2}, {3}}), "scales have shape 3, expected 4");
  EXPECT_EQ(testing::infer_error(norm(0), {{1, 4, 1, 2}, {4}, {2}}), "biases have shape 2, expected 4");
  const graph::IntegerForm form = LayerNorm().integer_form(std::vector<Shape>{{1, 20000, 1, 1}, {20000}});
  EXPECT_EQ(form.why_not.at(0).text, "over 20000 channels it has no integer form");
}

/// What integers make of values, in units of 2^-u and as sums that nothing rounds.
class AsSums final : public graph::Rounding {
 public:
  int64_t sum(int64_t sum, int64_t) const override { return sum; }
  int64_t inputs(std::span<const int64_t>) const override { return 0; }
};

struct Table {
  Tensor scales, biases, table;
  int unit;
  Table(const LayerNorm& op, std::vector<float> scale, std::vector<float> bias, double step)
      : scales(Tensor::from({static_cast<int64_t>(scale.size())}, scale)),
        biases(Tensor::from({static_cast<int64_t>(bias.size())}, bias)) {
    const QuantParams in{8, true, -1, {}, {127 * step}};
    const auto channels = static_cast<int64_t>(scale.size());
    const graph::IntegerForm form =
        op.integer_form(std::vector<Shape>{{1, channels, 1, 1}, {channels}, {channels}});
    table = form.table({in, in, {&scales, &biases}});
    EXPECT_EQ(form.of_table->fault(table), "");
    EXPECT_NE(form.of_table->fault(scales), "");
    unit = table.data<int32_t>()[2];
    EXPECT_EQ(form.of_table->unit(table).one, std::ldexp(1.0, -unit));
  }
};

TEST(LayerNorm, ItsIntegersAreNearItsFloats) {
  for (const bool centered : {true, false})
    for (const double epsilon : {0.0, 1e-5, 0.3})
      for (const int64_t zero : {0, -20}) {
        const LayerNorm op = norm(epsilon, centered);
        const std::vector<float> scale{1, 0.5F, -2, 0.001F, 0, 3, 1, 1}, bias{0, 1, -0.3F, 0, 7, 0.2F, 0, 0};
        const Table made(op, scale, bias, 0.02);
        graph::Integers in{{1, 8, 1, 3}, {}, zero}, table{made.table.shape(), {}}, out{in.shape, {}};
        for (int i = 0; i < 24; ++i) in.values.push_back(i % 3 == 2 ? 9 : i * 91 % 256 - 128);
        for (const int32_t term : made.table.span<int32_t>()) table.values.push_back(term);
        out.values.resize(24);
        const graph::Integers* ins[] = {&in, &table};
        graph::Integers* outs[] = {&out};
        op.integers({ins, outs, AsSums()});
        Tensor x(Shape{1, 8, 1, 3});
        for (int64_t i = 0; i < 24; ++i) x.data<float>()[i] = 0.02F * static_cast<float>(in[i] - zero);
        const Tensor y = testing::forward(op, {x, made.scales, made.biases});
        for (int64_t i = 0; i < 24; ++i)
          EXPECT_NEAR(std::ldexp(static_cast<double>(out[i]), -made.unit),
                      static_cast<double>(y.data<float>()[i]),
                      2e-4)  // Epsilon is a whole number, half of which is 1e-4 of the least variance here
              << i << " " << centered << " " << epsilon << " " << zero;
      }
}

TEST(LayerNorm, ItsUnitFitsTheLargestValueThatCanOccur) {
  EXPECT_EQ(Table(LayerNorm(), {1, 1, 1, 1}, {0, 0, 0, 0}, 0.1).unit, 23);
  EXPECT_EQ(Table(LayerNorm(), {1, 1, 1, 1}, {0, 0, 0, 30}, 0.1).unit, 19);
  EXPECT_EQ(Table(LayerNorm(), {0, 0}, {0, 0}, 0.1).unit, 0);
}

TEST(LayerNorm, EpsilonIsInStepsOfTheInput) {
  const Table made(norm(0.5), {1, 1}, {0, 0}, 0x1p-20);
  const int32_t* terms = made.table.data<int32_t>();
  EXPECT_EQ(terms[0] + (int64_t{terms[1]} << 30), int64_t{2} << 40);
}

}  // namespace
}  // namespace n2d2::ops
