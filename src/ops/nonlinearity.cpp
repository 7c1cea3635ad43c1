#include "n2d2/ops/nonlinearity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "table.hpp"

namespace n2d2::ops {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Interval {
  double lo = -kInfinity, hi = kInfinity;
};

/// One function of x with its parameters a and b.
struct Definition {
  Function function;
  double (*value)(double x, double a, double b);
  double (*slope)(double x, double a, double b);
  Interval (*range)(double a, double b);
};

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

double ramp(double x, double a, double b) {
  return std::min(std::max(a * x + b, 0.0), 1.0);
}

double ramp_slope(double x, double a, double b) {
  const double t = a * x + b;
  return t > 0 && t < 1 ? a : 0;
}

double exponential(double x, double a) {
  return x > 0 ? x : a * std::expm1(x);
}

double exponential_slope(double x, double a) {
  return x > 0 ? 1 : a * std::exp(x);
}

/// Returns the range of a function with the lower bound `lowest` and no upper bound. Returns the unbounded
/// interval unless `holds`.
Interval above(double lowest, bool holds = true) {
  return holds ? Interval{lowest, kInfinity} : Interval{};
}

constexpr double kLowestSwish = -0.2784645427610738;  // of x logistic(x), at x = -1.2784645427610738

constexpr double kLowestGelu = -0.16997120747990369;  // at x = -0.7517915246935645

double normal_density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

/// Returns the cumulative distribution function of the standard normal distribution at x.
double normal_share(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

constexpr double kLowestGeluTanh = -0.17004075057125406;  // at x = -0.7524614162584932

/// The cubic whose hyperbolic tangent is nearly that of normal_share(), and its slope.
constexpr double kCubed = 0.044715;
double cubic(double x) {
  return std::sqrt(2 * std::numbers::inv_pi) * (x + kCubed * x * x * x);
}
double cubic_slope(double x) {
  return std::sqrt(2 * std::numbers::inv_pi) * (1 + 3 * kCubed * x * x);
}

constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kSmallest = std::numeric_limits<float>::min();  // 2^-126
constexpr double kBelowOne = 1 - 0x1p-24;

double saturated(double y) {
  return std::clamp(y, -kLargest, kLargest);
}

/// A divisor that is not 0.
double divisor(double x) {
  return std::abs(x) >= kSmallest ? x : x < 0 ? -kSmallest : kSmallest;
}

bool is_whole(double a) {
  return a == std::floor(a);
}

double power(double x, double a) {
  if (!is_whole(a)) x = std::max(x, 0.0);
  return saturated(std::pow(a < 0 ? divisor(x) : x, a));
}

double power_slope(double x, double a) {
  if (a == 0 || (x < 0 && !is_whole(a))) return 0;
  return saturated(a * power(x, a - 1));
}

double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double mish_slope(double x) {
  const double t = std::tanh(softplus(x));
  return t + x * (1 - t * t) * logistic(x);
}

double arc_slope(double x) {
  return std::abs(x) < 1 ? 1 / std::sqrt(1 - x * x) : 0;
}

constexpr double kLowestMish = -0.3088434130172504;  // at x = -1.192431211482

double zero(double, double, double) {
  return 0;
}
Interval all(double, double) {
  return {};
}
Interval up_from_zero(double, double) {
  return above(0);
}
Interval within_one(double, double) {
  return {-1, 1};
}

/// In the order of the enumeration.
constexpr std::array<Definition, EnumText<Function>::names.size()> kDefinitions{{
    {Function::Logistic, [](double x, double, double) { return logistic(x); },
     [](double x, double, double) { return logistic(x) * logistic(-x); },
     [](double, double) {
       return Interval{0, 1};
     }},
    {Function::Tanh, [](double x, double a, double) { return std::tanh(a * x); },
     [](double x, double a, double) {
       const double y = std::tanh(a * x);
       return a * (1 - y * y);
     },
     [](double, double) {
       return Interval{-1, 1};
     }},
    {Function::Softplus, [](double x, double, double) { return softplus(x); },
     [](double x, double, double) { return logistic(x); }, [](double, double) { return above(0); }},
    {Function::Swish, [](double x, double a, double) { return x * logistic(a * x); },
     [](double x, double a, double) {
       const double s = logistic(a * x);
       return s + a * x * s * (1 - s);
     },
     [](double a, double) { return above(kLowestSwish / a, a > 0); }},
    {Function::HardSigmoid, ramp, ramp_slope,
     [](double, double) {
       return Interval{0, 1};
     }},
    {Function::HardSwish, [](double x, double a, double b) { return x * ramp(x, a, b); },
     [](double x, double a, double b) { return ramp(x, a, b) + x * ramp_slope(x, a, b); },
     // With 0 <= b <= 2 the lowest point is that of the parabola x (a x + b).
     [](double a, double b) { return above(-b * b / (4 * a), a > 0 && b >= 0 && b <= 2); }},
    {Function::Elu, [](double x, double a, double) { return exponential(x, a); },
     [](double x, double a, double) { return exponential_slope(x, a); },
     [](double a, double) { return above(-a, a >= 0); }},
    {Function::Celu, [](double x, double a, double) { return x > 0 ? x : a * std::expm1(x / a); },
     [](double x, double a, double) { return x > 0 ? 1 : std::exp(x / a); },
     [](double a, double) { return above(-a, a > 0); }},
    {Function::Selu, [](double x, double a, double b) { return b * exponential(x, a); },
     [](double x, double a, double b) { return b * exponential_slope(x, a); },
     [](double a, double b) { return above(-a * b, a >= 0 && b >= 0); }},
    {Function::ThresholdedRelu, [](double x, double a, double) { return x > a ? x : 0; },
     [](double x, double a, double) { return x > a ? 1.0 : 0.0; },
     [](double a, double) { return above(std::min(a, 0.0)); }},
    {Function::Softsign, [](double x, double, double) { return x / (1 + std::abs(x)); },
     [](double x, double, double) { return 1 / ((1 + std::abs(x)) * (1 + std::abs(x))); },
     [](double, double) {
       return Interval{-1, 1};
     }},
    {Function::Erf, [](double x, double, double) { return std::erf(x); },
     [](double x, double, double) { return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x); },
     [](double, double) {
       return Interval{-1, 1};
     }},
    {Function::Gelu, [](double x, double, double) { return x * normal_share(x); },
     [](double x, double, double) { return normal_share(x) + x * normal_density(x); },
     [](double, double) { return above(kLowestGelu); }},
    {Function::GeluTanh, [](double x, double, double) { return x * logistic(2 * cubic(x)); },
     [](double x, double, double) {
       const double share = logistic(2 * cubic(x));
       return share + 2 * x * share * (1 - share) * cubic_slope(x);
     },
     [](double, double) { return above(kLowestGeluTanh); }},
    {Function::Abs, [](double x, double, double) { return std::abs(x); },
     [](double x, double, double) { return sign(x); }, up_from_zero},
    {Function::Acos, [](double x, double, double) { return std::acos(std::clamp(x, -1.0, 1.0)); },
     [](double x, double, double) { return -arc_slope(x); },
     [](double, double) {
       return Interval{0, std::numbers::pi};
     }},
    {Function::Acosh, [](double x, double, double) { return std::acosh(std::max(x, 1.0)); },
     [](double x, double, double) { return x > 1 ? 1 / std::sqrt((x - 1) * (x + 1)) : 0; }, up_from_zero},
    {Function::Asin, [](double x, double, double) { return std::asin(std::clamp(x, -1.0, 1.0)); },
     [](double x, double, double) { return arc_slope(x); },
     [](double, double) {
       return Interval{-std::numbers::pi / 2, std::numbers::pi / 2};
     }},
    {Function::Asinh, [](double x, double, double) { return std::asinh(x); },
     [](double x, double, double) { return 1 / std::hypot(x, 1); }, all},
    {Function::Atan, [](double x, double, double) { return std::atan(x); },
     [](double x, double, double) { return 1 / (1 + x * x); },
     [](double, double) {
       return Interval{-std::numbers::pi / 2, std::numbers::pi / 2};
     }},
    {Function::Atanh,
     [](double x, double, double) { return std::atanh(std::clamp(x, -kBelowOne, kBelowOne)); },
     [](double x, double, double) { return std::abs(x) <= kBelowOne ? 1 / (1 - x * x) : 0; }, all},
    {Function::Ceil, [](double x, double, double) { return std::ceil(x); }, zero, all},
    {Function::Cos, [](double x, double, double) { return std::cos(x); },
     [](double x, double, double) { return -std::sin(x); }, within_one},
    {Function::Cosh, [](double x, double, double) { return saturated(std::cosh(x)); },
     [](double x, double, double) { return saturated(std::sinh(x)); },
     [](double, double) { return above(1); }},
    {Function::Exp, [](double x, double, double) { return saturated(std::exp(x)); },
     [](double x, double, double) { return saturated(std::exp(x)); }, up_from_zero},
    {Function::Floor, [](double x, double, double) { return std::floor(x); }, zero, all},
    {Function::Log, [](double x, double, double) { return std::log(std::max(x, kSmallest)); },
     [](double x, double, double) { return x >= kSmallest ? 1 / x : 0; }, all},
    {Function::Mish, [](double x, double, double) { return x * std::tanh(softplus(x)); },
     [](double x, double, double) { return mish_slope(x); },
     [](double, double) { return above(kLowestMish); }},
    {Function::Power, [](double x, double a, double) { return power(x, a); },
     [](double x, double a, double) { return power_slope(x, a); },
     [](double a, double) { return above(0, !is_whole(a) || is_whole(a / 2)); }},
    {Function::Reciprocal, [](double x, double, double) { return 1 / divisor(x); },
     [](double x, double, double) { return power_slope(x, -1); }, all},
    {Function::Round, [](double x, double, double) { return std::nearbyint(x); }, zero, all},
    {Function::Shrink, [](double x, double a, double b) { return x > a    ? x - b
                                                                 : x < -a ? x + b
                                                                          : 0; },
     [](double x, double a, double) { return x > a || x < -a ? 1.0 : 0.0; }, all},
    {Function::Sign, [](double x, double, double) { return sign(x); }, zero, within_one},
    {Function::Sin, [](double x, double, double) { return std::sin(x); },
     [](double x, double, double) { return std::cos(x); }, within_one},
    {Function::Sinh, [](double x, double, double) { return saturated(std::sinh(x)); },
     [](double x, double, double) { return saturated(std::cosh(x)); }, all},
    {Function::Sqrt, [](double x, double, double) { return std::sqrt(std::max(x, 0.0)); },
     [](double x, double, double) { return power_slope(x, 0.5); }, up_from_zero},
    {Function::Tan, [](double x, double, double) { return std::tan(x); },
     [](double x, double, double) { return 1 + std::tan(x) * std::tan(x); }, all},
}};

const Definition& definition(Function function) {
  const Definition& found = kDefinitions[static_cast<size_t>(function)];
  N2D2_CHECK(found.function == function, "definitions are not in the order of Function");
  return found;
}

}  // namespace

double Nonlinearity::value(double x) const {
  return definition(function).value(x, alpha, beta);
}

double Nonlinearity::slope(double x) const {
  return definition(function).slope(x, alpha, beta);
}

Clamp Nonlinearity::bounds() const {
  const Interval range = definition(function).range(alpha, beta);
  return {static_cast<float>(range.lo), static_cast<float>(range.hi)};
}

std::vector<Shape> Nonlinearity::infer(std::span<const Shape> in) const {
  if (function == Function::Celu && alpha == 0) throw ModelError("Alpha of Celu is 0");
  return {expect_one_map(has_table(in) ? in.first(1) : in)};
}

void Nonlinearity::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  for (int64_t i = 0; i < args.in[0]->elements(); ++i) y[i] = static_cast<float>(value(x[i]));
}

bool Nonlinearity::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const float* x = args.in[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for (int64_t i = 0; i < args.in[0]->elements(); ++i) d_x[i] = static_cast<float>(d_y[i] * slope(x[i]));
  return true;
}

graph::IntegerForm Nonlinearity::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form;
  form.scale = graph::ScaleOf::Own;
  form.table = [this](const graph::TableArgs& args) {
    return table_of_outputs(args, 1, [this](double x, int64_t) { return value(x); });
  };
  return form;
}

void Nonlinearity::integers(const graph::IntegerArgs& args) const {
  look_up_each(args);
}

std::vector<Clamp> Nonlinearity::range(std::span<const Clamp>, std::span<const Shape>) const {
  return {bounds()};
}

void Nonlinearity::turned(graph::TurnedNode& node) const {
  node.keep_order();
}

void register_nonlinearity(graph::OperatorRegistry& registry);
void register_nonlinearity(graph::OperatorRegistry& registry) {
  graph::register_operator<Nonlinearity>(registry);
}

}  // namespace n2d2::ops
