// Does the float kernel of functions of single values compute their definitions, at the ends of domains, too?
#include "function.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

namespace kernels = N2D2_EXPORT_NAMESPACE;

struct Case {
  const char* name;
  int function;
  float a, b;
  double (*expected)(double x);
  std::vector<float> at;
};

constexpr double kLeast = 0x1p-126, kLargest = 0x1.fffffep127;
/// Twice as many units in the last place as the functions of a C library may err by, and a few for sums.
constexpr double kRelative = 1e-6;

std::vector<Case> cases() {
  const std::vector<float> wide{-1e30F, -90,  -2.5F, -1,   -0.75F, -1e-3F, 0,
                                1e-3F,  0.5F, 1,     1.5F, 7,      95,     1e30F};
  const std::vector<float> near{-7, -2.5F, -1, -0.75F, -1e-3F, 0, 1e-3F, 0.5F, 1, 1.5F, 7};
  return {
      {"Abs", kernels::kAbs, 1, 0, [](double x) { return std::fabs(x); }, wide},
      {"Acos", kernels::kAcos, 1, 0, [](double x) { return std::acos(std::fmin(std::fmax(x, -1), 1)); },
       wide},
      {"Acosh", kernels::kAcosh, 1, 0, [](double x) { return std::acosh(std::fmax(x, 1)); }, wide},
      {"Asin", kernels::kAsin, 1, 0, [](double x) { return std::asin(std::fmin(std::fmax(x, -1), 1)); },
       wide},
      {"Asinh", kernels::kAsinh, 1, 0, [](double x) { return std::asinh(x); }, wide},
      {"Atan", kernels::kAtan, 1, 0, [](double x) { return std::atan(x); }, wide},
      {"Atanh", kernels::kAtanh, 1, 0,
       [](double x) { return std::atanh(std::fmin(std::fmax(x, -1 + 0x1p-24), 1 - 0x1p-24)); }, wide},
      {"Ceil", kernels::kCeil, 1, 0, [](double x) { return std::ceil(x); }, wide},
      {"Cos", kernels::kCos, 1, 0, [](double x) { return std::cos(x); }, near},
      {"Cosh", kernels::kCosh, 1, 0, [](double x) { return std::fmin(std::cosh(x), kLargest); }, near},
      {"Exp", kernels::kExp, 1, 0, [](double x) { return std::exp(x); }, near},
      {"Floor", kernels::kFloor, 1, 0, [](double x) { return std::floor(x); }, wide},
      {"Log", kernels::kLog, 1, 0, [](double x) { return std::log(std::fmax(x, kLeast)); }, wide},
      {"Mish", kernels::kMish, 1, 0, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, near},
      {"PowerOfHalves", kernels::kPower, 1.5F, 0, [](double x) { return std::pow(std::fmax(x, 0), 1.5); },
       near},
      {"PowerBelow", kernels::kPower, -0.5F, 0, [](double x) { return std::pow(std::fmax(x, kLeast), -0.5); },
       near},
      {"PowerOfIntegers", kernels::kPower, 5, 0, [](double x) { return std::pow(x, 5); }, near},
      {"PowerWithAPole", kernels::kPower, -2, 0, [](double x) { return x == 0 ? kLargest : std::pow(x, -2); },
       near},
      {"Reciprocal", kernels::kReciprocal, 1, 0, [](double x) { return x == 0 ? 1 / kLeast : 1 / x; }, wide},
      {"Round", kernels::kRound, 1, 0, [](double x) { return std::nearbyint(x); }, wide},
      {"Shrink", kernels::kShrink, 0.75F, 0.25F,
       [](double x) { return x > 0.75    ? x - 0.25
                             : x < -0.75 ? x + 0.25
                                         : 0; }, wide},
      {"Sign", kernels::kSign, 1, 0, [](double x) { return x == 0 ? 0 : std::copysign(1.0, x); }, wide},
      {"Sin", kernels::kSin, 1, 0, [](double x) { return std::sin(x); }, near},
      {"Sinh", kernels::kSinh, 1, 0, [](double x) { return std::sinh(x); }, near},
      {"Sqrt", kernels::kSqrt, 1, 0, [](double x) { return std::sqrt(std::fmax(x, 0)); }, wide},
      {"Tan", kernels::kTan, 1, 0, [](double x) { return std::tan(x); }, near},
  };
}

TEST(FunctionKernel, ComputesItsDefinition) {
  for (const Case& c : cases())
    for (const float x : c.at) {
      const double expected = c.expected(x);
      EXPECT_NEAR(kernels::function_value(c.function, x, c.a, c.b), expected, kRelative * std::abs(expected))
          << c.name << " at " << x;
    }
}

TEST(FunctionKernel, IsFiniteFarOut) {
  for (const Case& c : cases())
    for (const float x : {-1e38F, -1e-42F, 1e-42F, 1e38F})
      EXPECT_TRUE(std::isfinite(kernels::function_value(c.function, x, c.a, c.b))) << c.name << " at " << x;
}

}  // namespace
}  // namespace n2d2
