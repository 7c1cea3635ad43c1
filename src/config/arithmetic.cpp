#include "arithmetic.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace n2d2::config {

namespace {

double real(const Value& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

/// A real as an integer if it fits, else as it is.
Value whole(double value) {
  if (std::abs(value) < 0x1.0p63) return static_cast<int64_t>(value);
  return finite(value);
}

/// Applies one operation to two integers or to two reals; a failure on either side is the result.
template <class Integers, class Reals>
Value apply(const Value& a, const Value& b, Integers integers, Reals reals) {
  if (std::holds_alternative<Failure>(a)) return a;
  if (std::holds_alternative<Failure>(b)) return b;
  const auto* x = std::get_if<int64_t>(&a);
  const auto* y = std::get_if<int64_t>(&b);
  if (x != nullptr && y != nullptr) return integers(*x, *y);
  return reals(real(a), real(b));
}

Failure division_by_zero() {
  return {"division by zero"};
}

/// Floor division of 64-bit integers; b is not 0 and the quotient fits.
int64_t floored(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

double real_modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// By repeated squaring; becomes real when it leaves 64 bits. exponent >= 0.
Value integer_power(int64_t base, int64_t exponent) {
  int64_t result = 1, square = base;
  for (int64_t rest = exponent; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0 && __builtin_mul_overflow(result, square, &result))
      return finite(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    if (rest > 1 && __builtin_mul_overflow(square, square, &square))
      return finite(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  return result;
}

Value real_power(double base, double exponent) {
  if (base == 0 && exponent < 0) return Failure{"0 to a negative power"};
  if (base < 0 && exponent != std::floor(exponent))
    return Failure{"a negative number to a power that is not whole"};
  return finite(std::pow(base, exponent));
}

/// round(value, digits): to the nearest decimal, exact ties to even. Printing rounds the exact decimal
/// expansion.
Value rounded_to(const Value& value, int64_t digits) {
  constexpr int64_t kAllDigits = 400;  // no double has more decimals that matter
  const auto* integer = std::get_if<int64_t>(&value);
  if (digits > kAllDigits || (integer != nullptr && digits >= 0)) return value;
  if (digits < -kAllDigits) return integer != nullptr ? Value(int64_t{0}) : Value(0.0);
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-digits));
    const double result = std::isfinite(unit) ? std::nearbyint(real(value) / unit) * unit : 0.0;
    return integer != nullptr ? whole(result) : finite(result);
  }
  const std::string text = fmt::format("{:.{}f}", real(value), digits);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

Value round_function(std::span<const Value> v) {
  if (v.size() == 1) return std::holds_alternative<int64_t>(v[0]) ? v[0] : whole(std::nearbyint(real(v[0])));
  const auto* digits = std::get_if<int64_t>(&v[1]);
  if (digits == nullptr) return Failure{"round(): the number of decimals is not an integer"};
  return rounded_to(v[0], *digits);
}

Value int_function(std::span<const Value> v) {
  return std::holds_alternative<int64_t>(v[0]) ? v[0] : whole(std::trunc(real(v[0])));
}

Value float_function(std::span<const Value> v) {
  return real(v[0]);
}

Value abs_function(std::span<const Value> v) {
  return is_true(compare("<", v[0], int64_t{0})) ? subtract(int64_t{0}, v[0]) : v[0];
}

Value max_function(std::span<const Value> v) {
  Value best = v[0];
  for (const Value& value : v)
    if (is_true(compare(">", value, best))) best = value;
  return best;
}

Value min_function(std::span<const Value> v) {
  Value best = v[0];
  for (const Value& value : v)
    if (is_true(compare("<", value, best))) best = value;
  return best;
}

constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();
constexpr std::array<Function, 6> kFunctions{{{"abs", 1, 1, "1 argument", abs_function},
                                              {"float", 1, 1, "1 argument", float_function},
                                              {"int", 1, 1, "1 argument", int_function},
                                              {"max", 2, kAnyNumber, "2 or more arguments", max_function},
                                              {"min", 2, kAnyNumber, "2 or more arguments", min_function},
                                              {"round", 1, 2, "1 or 2 arguments", round_function}}};

}  // namespace

Value finite(double value) {
  if (!std::isfinite(value)) return Failure{"the result is too large"};
  return value;
}

bool is_true(const Value& value) {
  return real(value) != 0;
}

Value add(const Value& a, const Value& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) -> Value {
        int64_t out = 0;
        if (__builtin_add_overflow(x, y, &out)) return static_cast<double>(x) + static_cast<double>(y);
        return out;
      },
      [](double x, double y) { return finite(x + y); });
}

Value subtract(const Value& a, const Value& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) -> Value {
        int64_t out = 0;
        if (__builtin_sub_overflow(x, y, &out)) return static_cast<double>(x) - static_cast<double>(y);
        return out;
      },
      [](double x, double y) { return finite(x - y); });
}

Value multiply(const Value& a, const Value& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) -> Value {
        int64_t out = 0;
        if (__builtin_mul_overflow(x, y, &out)) return static_cast<double>(x) * static_cast<double>(y);
        return out;
      },
      [](double x, double y) { return finite(x * y); });
}

Value divide(const Value& a, const Value& b) {
  const auto quotient = [](double x, double y) -> Value {
    if (y == 0) return division_by_zero();
    return finite(x / y);
  };
  return apply(
      a, b, [&](int64_t x, int64_t y) { return quotient(static_cast<double>(x), static_cast<double>(y)); },
      quotient);
}

Value floor_divide(const Value& a, const Value& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) -> Value {
        if (y == 0) return division_by_zero();
        if (y == -1) return subtract(int64_t{0}, x);
        return floored(x, y);
      },
      [](double x, double y) -> Value {
        if (y == 0) return division_by_zero();
        return finite(std::nearbyint((x - real_modulo(x, y)) / y));
      });
}

Value modulo(const Value& a, const Value& b) {
  return apply(
      a, b,
      [](int64_t x, int64_t y) -> Value {
        if (y == 0) return division_by_zero();
        if (y == -1) return int64_t{0};
        const int64_t rest = x % y;  // with the sign of x; ours is that of y
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
      },
      [](double x, double y) -> Value {
        if (y == 0) return division_by_zero();
        return finite(real_modulo(x, y));
      });
}

Value raise(const Value& base, const Value& exponent) {
  return apply(
      base, exponent,
      [](int64_t x, int64_t y) -> Value {
        if (y >= 0) return integer_power(x, y);
        return real_power(static_cast<double>(x), static_cast<double>(y));
      },
      real_power);
}

bool is_comparison(std::string_view op) {
  return op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=";
}

Value compare(std::string_view op, const Value& a, const Value& b) {
  const auto decide = [op](auto x, auto y) -> Value {
    const bool equal = x == y, less = x < y;
    const bool holds = op == "=="   ? equal
                       : op == "!=" ? !equal
                       : op == "<"  ? less
                       : op == "<=" ? less || equal
                       : op == ">"  ? !less && !equal
                                    : !less;
    return int64_t{holds ? 1 : 0};
  };
  return apply(a, b, decide, decide);
}

const Function* find_function(std::string_view name) {
  const auto* found = std::find_if(kFunctions.begin(), kFunctions.end(),
                                   [&](const Function& function) { return function.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> out;
  for (const Function& function : kFunctions) out.emplace_back(function.name);
  return out;
}

}  // namespace n2d2::config
