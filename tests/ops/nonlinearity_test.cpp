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
      with(Function::Mish),
  };
  return ops;
}

/// Functions with bends, steps, poles or ends, and points beside these.
struct Bent {
  Nonlinearity op;
  std::vector<double> points;
};
const std::vector<Bent>& bent() {
  static const std::vector<double> anywhere{-7.3, -1.2, -0.4, 0.3, 0.9, 1.6, 8.1},
      above{0.01, 0.3, 0.9, 1.6, 8.1}, inside{-0.9, -0.4, 0.3, 0.99};
  static const std::vector<Bent> all{
      {with(Function::Abs), anywhere},
      {with(Function::Acos), inside},
      {with(Function::Acos), {-1.5, 4}},
      {with(Function::Acosh), {1.01, 1.6, 8.1}},
      {with(Function::Acosh), {-3, 0.5}},
      {with(Function::Asin), inside},
      {with(Function::Asin), {-1.5, 4}},
      {with(Function::Asinh), anywhere},
      {with(Function::Atan), anywhere},
      {with(Function::Atanh), inside},
      {with(Function::Atanh), {-1.5, 4}},
      {with(Function::Ceil), anywhere},
      {with(Function::Cos), anywhere},
      {with(Function::Cosh), anywhere},
      {with(Function::Exp), anywhere},
      {with(Function::Floor), anywhere},
      {with(Function::Log), above},
      {with(Function::Log), {-2, -0.1}},
      {with(Function::Power, 1.5), above},
      {with(Function::Power, 1.5), {-2, -0.1}},
      {with(Function::Power, -0.5), above},
      {with(Function::Power, 5), anywhere},
      {with(Function::Power, -2), anywhere},
      {with(Function::Power, 0), anywhere},
      {with(Function::Reciprocal), anywhere},
      {with(Function::Round), anywhere},
      {with(Function::Shrink, 0.5, 0.25), anywhere},
      {with(Function::Sign), anywhere},
      {with(Function::Sin), anywhere},
      {with(Function::Sinh), anywhere},
      {with(Function::Sqrt), above},
      {with(Function::Sqrt), {-2, -0.1}},
      {with(Function::Tan), anywhere},
  };
  return all;
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
  expect(with(Function::Abs), -3, 3);
  expect(with(Function::Ceil), -1.5, -1);
  expect(with(Function::Cosh), 1, (e + 1 / e) / 2);
  expect(with(Function::Exp), -2, 1 / (e * e));
  expect(with(Function::Floor), -1.5, -2);
  expect(with(Function::Log), e, 1);
  expect(with(Function::Mish), 0.5413248546129181, 0.5413248546129181 * (e * e - 1) / (e * e + 1));
  expect(with(Function::Power, 1.5), 4, 8);
  expect(with(Function::Power, -3), -2, -0.125);
  expect(with(Function::Reciprocal), -4, -0.25);
  expect(with(Function::Round), 2.5, 2);
  expect(with(Function::Round), -1.5, -2);
  expect(with(Function::Shrink, 1.5, 0.5), 2, 1.5);
  expect(with(Function::Shrink, 1.5, 0.5), -2, -1.5);
  expect(with(Function::Shrink, 1.5, 0.5), 1.5, 0);
  expect(with(Function::Sign), -0.1, -1);
  expect(with(Function::Sign), 0, 0);
  expect(with(Function::Sinh), 1, (e - 1 / e) / 2);
  expect(with(Function::Sqrt), 2.25, 1.5);
  constexpr double pi = 3.141592653589793;
  expect(with(Function::Acos), 0.5, pi / 3);
  expect(with(Function::Acosh), (e + 1 / e) / 2, 1);
  expect(with(Function::Asin), 0.5, pi / 6);
  expect(with(Function::Asinh), (e - 1 / e) / 2, 1);
  expect(with(Function::Atan), 1, pi / 4);
  expect(with(Function::Atanh), (e * e - 1) / (e * e + 1), 1);
  expect(with(Function::Cos), pi / 3, 0.5);
  expect(with(Function::Sin), pi / 6, 0.5);
  expect(with(Function::Tan), pi / 4, 1);
}

TEST(Nonlinearity, NumbersOutsideADomainCountAsTheNearestInside) {
  const auto equal = [](const Nonlinearity& op, double outside, double inside) {
    EXPECT_EQ(op.value(outside), op.value(inside)) << op.function_name() << " at " << outside;
  };
  constexpr double least = 0x1p-126;
  equal(with(Function::Acos), 1.5, 1);
  equal(with(Function::Acosh), -2, 1);
  equal(with(Function::Asin), -7, -1);
  equal(with(Function::Atanh), 1, 1 - 0x1p-24);
  equal(with(Function::Log), -3, least);
  equal(with(Function::Log), 0, least);
  equal(with(Function::Power, 2.5), -3, 0);
  equal(with(Function::Power, -0.5), -3, least);
  equal(with(Function::Power, -1), 0, least);
  equal(with(Function::Power, -1), -1e-40, -least);
  equal(with(Function::Reciprocal), -0.0, least);
  equal(with(Function::Sqrt), -4, 0);
  EXPECT_EQ(with(Function::Exp).value(1000), 0x1.fffffep127);
  EXPECT_EQ(with(Function::Power, 3).value(-1e30), -0x1.fffffep127);
}

TEST(Nonlinearity, IsFiniteEverywhere) {
  for (const Bent& each : bent())
    for (const double x : {-1e30, -1000.0, -1.0, -1e-30, -1e-42, -0.0, 0.0, 1e-42, 1.0, 1000.0, 1e30}) {
      EXPECT_TRUE(std::isfinite(static_cast<float>(each.op.value(x))))
          << each.op.function_name() << " at " << x;
      EXPECT_TRUE(std::isfinite(each.op.slope(x))) << each.op.function_name() << " at " << x;
    }
}

TEST(Nonlinearity, SlopesBesideBendsAreDifferences) {
  constexpr double step = 1e-6;
  for (const Bent& each : bent())
    for (const double x : each.points) {
      const double difference = (each.op.value(x + step) - each.op.value(x - step)) / (2 * step);
      // The step's square times the third derivative.
      EXPECT_NEAR(each.op.slope(x), difference, 1e-5 * std::max(1.0, std::abs(difference)))
          << each.op.function_name() << " at " << x;
    }
}

TEST(Nonlinearity, BoundsHoldBesideBends) {
  for (const Bent& each : bent())
    for (double x = -40; x <= 40; x += 1e-2) {
      const auto y = static_cast<float>(each.op.value(x));
      EXPECT_GE(y, each.op.bounds().lo) << each.op.function_name() << " at " << x;
      EXPECT_LE(y, each.op.bounds().hi) << each.op.function_name() << " at " << x;
    }
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
  std::vector<Nonlinearity> ops = all();
  for (const Bent& each : bent()) ops.push_back(each.op);
  for (const Nonlinearity& op : ops)
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
