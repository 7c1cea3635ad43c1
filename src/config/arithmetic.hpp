// What do the operators and functions of `$(...)` compute on two numbers? Python 3 rules, and a reason when
// there is no number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace n2d2::config {

/// Why a value could not be computed. Operations on it give it back.
struct Failure {
  std::string reason;
};
using Value = std::variant<int64_t, double, Failure>;

/// The value, or the failure "the result is too large" for infinities.
Value finite(double value);
inline Value finite(int64_t value) {
  return value;
}

/// Whether a value is other than 0. The value must not be a Failure.
bool is_true(const Value& value);

Value add(const Value& a, const Value& b);
Value subtract(const Value& a, const Value& b);
Value multiply(const Value& a, const Value& b);
Value divide(const Value& a, const Value& b);
Value floor_divide(const Value& a, const Value& b);
Value modulo(const Value& a, const Value& b);
Value raise(const Value& base, const Value& exponent);

bool is_comparison(std::string_view op);
Value compare(std::string_view op, const Value& a, const Value& b);

struct Function {
  std::string_view name;
  size_t min_arguments, max_arguments;
  std::string_view arguments_text;
  Value (*apply)(std::span<const Value> arguments);  // no argument is a failure
};
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();

}  // namespace n2d2::config
