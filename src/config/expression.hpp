// What is the value of the arithmetic inside `$(...)`? A Python-like expression over integers and reals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "n2d2/base/error.hpp"

namespace n2d2::config {

/// Integers stay integers while they fit 64 bits, then become real. A comparison is 0 or 1.
using Number = std::variant<int64_t, double>;

/// The value of a whole text, with the meaning of Python 3:
///   A if C else B, or, and, not, == != < <= > >= (chained), + -, * / // %, unary + -, ** (right to left),
///   parentheses, int float round max min abs, True False, integers and reals with exponent.
/// `/` always gives a real; `//` and `%` round toward minus infinity. A branch that is not taken, or the
/// right side of a decided and/or, is parsed but its value is not needed: `1 / 0 if 0 else 5` is 5. Throws
/// ConfigError without a place: what was expected at which character, division by zero, a result that is not
/// a finite real number, more than 100 nested parentheses.
Number evaluate_expression(std::string_view text);

/// An integer as digits; a real so that it reads back the same and shows that it is one: "22500.0", "0.1",
/// "1e+30".
std::string print_number(const Number& number);

/// A real with a fraction, marked as computed: "2.5e0". Readers of integers cut such a text and refuse "2.5",
/// which somebody wrote.
std::string print_fraction(double value);

}  // namespace n2d2::config
