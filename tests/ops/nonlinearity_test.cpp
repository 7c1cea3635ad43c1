#include "n2d2/ops/nonlinearity.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

Nonlinearity with(Function function, double alpha = 1, double beta = 0) {
  Nonlinearity op;
  op.function = function;
  op.alpha = alpha;
  op.beta = beta;
  return op;
}

/// A function with the parameters that it usually has, and others.
const std::vector<Nonlinearity>& all() {
  static const std::vector<Nonlinearity> ops{
      with(Function::Logistic),
      with(Function::Tanh),
      with(Function::Tanh, 1.1439333333333333),
      with(Function::Softplus),
      with(Function::Swish),
      with(Function::Swish, 1.702),
      with(Function::HardSigmoid, 0.2, 0.5),
      with(Function::HardSigmoid, 1.0 / 6, 0.5),
      with(Function::HardSwish, 1.0 / 6, 0.5),
      with(Function::HardSwish, 0.7, 0.4),
      with(Function::Elu),
      with(Function::Elu, 2),
      with(Function::Celu, 2),
      with(Function::Selu, 1.67326319217681884765625, 1.05070102214813232421875),
      with(Function::ThresholdedRelu, 0.75),
      with(Function::Softsign),
      with(Function::Erf),
      with(Function::Gelu),
      with(Function::GeluTanh),
  };
  return ops;
}

TEST(Nonlinearity, HasTheValuesOfItsFormula) {
  // Written out by hand: value at x, rounded to float.
  constexpr double e = 2.718281828459045;
  const auto expect = [](const Nonlinearity& op, double x, double y) {
    EXPECT_NEAR(op.value(x), y, 1e-12) << op.function_name() << " at " << x;
  };
  expect(with(Function::Logistic), 0, 0.5);
  expect(with(Function::Logistic), 1, e / (e + 1));
  expect(with(Function::Tanh, 2), 0.5, (e * e - 1) / (e * e + 1));
  expect(with(Function::Softplus), 0, 0.6931471805599453);
  expect(with(Function::Swish), 1, e / (e + 1));
  expect(with(Function::Swish, 2), 0.5, 0.5 * e / (e + 1));
  expect(with(Function::HardSigmoid, 0.2, 0.5), -1, 0.3);
  expect(with(Function::HardSigmoid, 0.2, 0.5), 3, 1);
  expect(with(Function::HardSwish, 1.0 / 6, 0.5), -4, 0);
  expect(with(Function::HardSwish, 1.0 / 6, 0.5), 1.5, 1.125);
  expect(with(Function::HardSwish, 1.0 / 6, 0.5), 4, 4);
  expect(with(Function::Elu, 2), -1, 2 / e - 2);
  expect(with(Function::Elu, 2), 3, 3);
  expect(with(Function::Celu, 2), -2, 2 / e - 2);
  expect(with(Function::Selu, 2, 3), -1, 6 / e - 6);
  expect(with(Function::Selu, 2, 3), 2, 6);
  expect(with(Function::ThresholdedRelu, 0.75), 0.75, 0);
  expect(with(Function::ThresholdedRelu, 0.75), 0.875, 0.875);
  expect(with(Function::Softsign), -3, -0.75);
  expect(with(Function::Erf), 1, 0.8427007929497149);   // tables of the error function
  expect(with(Function::Gelu), 1, 0.8413447460685429);  // and of the normal distribution
  expect(with(Function::Gelu), -1, -0.15865525393145707);
  expect(with(Function::GeluTanh), 1, 0.8411919906082768);
  expect(with(Function::GeluTanh), -1, -0.15880800939172324);
}

TEST(Nonlinearity, StaysFiniteFarOut) {
  for (const Nonlinearity& op : all())
    for (const double x : {-1e30, -1000.0, 1000.0, 1e30}) {
      EXPECT_TRUE(std::isfinite(op.value(x))) << op.function_name() << " at " << x;
      EXPECT_TRUE(std::isfinite(op.slope(x))) << op.function_name() << " at " << x;
    }
}

TEST(Nonlinearity, GradientsAgreeWithFiniteDifferences) {
  for (const Nonlinearity& op : all()) {
    SCOPED_TRACE(op.function_name());
    // 30 elements lie 0.13 apart, none within a step of a bend at 0, 0.75 or where a ramp ends.
    testing::expect_gradients(op, {{1, 2, 3, 5}});
  }
}

TEST(Nonlinearity, ItsRangeIsNotLeftAndIsReached) {
  for (const Nonlinearity& op : all()) {
    double lowest = op.value(0), highest = lowest;
    for (double x = -40; x <= 40; x += 1e-3) {
      lowest = std::min(lowest, op.value(x));
      highest = std::max(highest, op.value(x));
    }
    const Clamp range = op.bounds();
    constexpr double kRounding = 1e-6;  // of the bounds to float
    EXPECT_GE(lowest, range.lo - kRounding) << op.function_name();
    EXPECT_LE(highest, range.hi + kRounding) << op.function_name();
    constexpr double kTail = 0.03;  // what Softsign has left at 40
    EXPECT_LE(lowest, range.lo + kTail) << op.function_name();
    if (std::isfinite(range.hi)) {
      EXPECT_GE(highest, range.hi - kTail) << op.function_name();
    }
  }
}

/// What integer 1 stands for, times 2^bits or 2^(bits - 1), less 1.
QuantParams grid(int bits, bool is_signed, double threshold) {
  return {bits, is_signed, -1, {}, {threshold}};
}

TEST(Nonlinearity, ItsTableHoldsTheNearestIntegerOfEveryValue) {
  for (const Nonlinearity& op : all())
    for (const int bits : {4, 8, 12})
      for (const bool from_signed : {false, true}) {
        const QuantParams in = grid(bits, from_signed, 3.7), out = grid(bits, true, 2.9);
        const graph::IntegerForm form = op.integer_form(std::vector<Shape>{{1, 2, 1, 1}});
        EXPECT_EQ(form.scale, graph::ScaleOf::Own);
        EXPECT_TRUE(form.factors.empty());
        const Tensor table = form.table({in, out, {}});
        ASSERT_EQ(table.shape(), Shape({1, int64_t{1} << bits}));
        for (int64_t x = in.lowest(); x <= in.highest(); ++x) {
          const int64_t at = x < 0 ? x + (int64_t{1} << bits) : x;
          const int y = bits > 8 ? table.data<int16_t>()[at] : table.data<int8_t>()[at];
          const double real = op.value(3.7 * static_cast<double>(x) / static_cast<double>(in.full_scale()));
          const double exact = real / 2.9 * static_cast<double>(out.full_scale());
          const double kept =
              std::clamp(exact, static_cast<double>(out.lowest()), static_cast<double>(out.highest()));
          EXPECT_LE(std::abs(y - kept), 0.5 + 1e-9) << op.function_name() << " of " << x;
        }
      }
}

TEST(Nonlinearity, SaysWhatIsWrong) {
  EXPECT_EQ(testing::infer_error(with(Function::Celu, 0), {{1, 2, 1, 1}}), "Alpha of Celu is 0");
  EXPECT_EQ(testing::infer_error(Nonlinearity(), {}), "expected 1 input, got 0");
}

}  // namespace
}  // namespace n2d2::ops
