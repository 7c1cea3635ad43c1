#include "expression.hpp"

#include <gtest/gtest.h>

namespace n2d2::config {
namespace {

std::string value(std::string_view text) {
  try {
    return print_number(evaluate_expression(text));
  } catch (const ConfigError& error) {
    return std::string("error: ") + error.what();
  }
}

TEST(Expression, KeepsIntegersAndGivesRealsLikePython) {
  EXPECT_EQ(value("28 + 4"), "32");
  EXPECT_EQ(value("50000 * 120 / 256"), "23437.5");
  EXPECT_EQ(value("48000 * 120 / 256"), "22500.0");
  EXPECT_EQ(value("1281167 // 256"), "5004");
  EXPECT_EQ(value("int(120 / 256)"), "0");
  EXPECT_EQ(value("2.5 * 2"), "5.0");
  EXPECT_EQ(value("1e3"), "1000.0");
  EXPECT_EQ(value(".5e-1 + 5."), "5.05");
  EXPECT_EQ(value("0.00001"), "1e-05");
  EXPECT_EQ(value("1e16 * 10"), "1e+17");
  EXPECT_EQ(value("7 - -3"), "10");
  EXPECT_EQ(value("0 * -1.0"), "-0.0");
}

TEST(Expression, BindsLikePython) {
  EXPECT_EQ(value("1 + 2 * 3"), "7");
  EXPECT_EQ(value("(1 + 2) * 3"), "9");
  EXPECT_EQ(value("-2 ** 2"), "-4");
  EXPECT_EQ(value("2 ** 3 ** 2"), "512");
  EXPECT_EQ(value("2 ** -1"), "0.5");
  EXPECT_EQ(value("10 - 4 - 3"), "3");
  EXPECT_EQ(value("100 / 10 / 2"), "5.0");
  EXPECT_EQ(value("not 1 == 2"), "1");
  EXPECT_EQ(value("1 or 0 and 0"), "1");
  EXPECT_EQ(value("1 + 1 if 2 > 1 else 7 * 8"), "2");
  EXPECT_EQ(value("1 if 0 else 2 if 0 else 3"), "3");
  EXPECT_EQ(value("+ - + 3"), "-3");
}

TEST(Expression, RoundsDivisionsTowardMinusInfinity) {
  EXPECT_EQ(value("-7 // 2"), "-4");
  EXPECT_EQ(value("7 // -2"), "-4");
  EXPECT_EQ(value("-7 % 3"), "2");
  EXPECT_EQ(value("7 % -3"), "-2");
  EXPECT_EQ(value("-7.5 // 2"), "-4.0");
  EXPECT_EQ(value("1.0 // 0.1"), "9.0");
  EXPECT_EQ(value("-7.5 % 2"), "0.5");
  EXPECT_EQ(value("7.5 % -2"), "-0.5");
  EXPECT_EQ(value("5 % -1"), "0");
  EXPECT_EQ(value("-9223372036854775807 % 6"), "5");
  EXPECT_EQ(value("9223372036854775807 % -6"), "-5");
  EXPECT_EQ(value("5 // -1"), "-5");
}

TEST(Expression, ComparesAndDecides) {
  EXPECT_EQ(value("1 < 2 < 3"), "1");
  EXPECT_EQ(value("1 < 2 > 3"), "0");
  EXPECT_EQ(value("3 > 2 > 1 != 1"), "0");
  EXPECT_EQ(value("1 == 1.0"), "1");
  EXPECT_EQ(value("2 <= 1"), "0");
  EXPECT_EQ(value("2 >= 2"), "1");
  EXPECT_EQ(value("0 or 5"), "5");
  EXPECT_EQ(value("3 and 0.5"), "0.5");
  EXPECT_EQ(value("0 and 5"), "0");
  EXPECT_EQ(value("True + True"), "2");
  EXPECT_EQ(value("not False"), "1");
}

TEST(Expression, NeedsOnlyTheBranchThatIsTaken) {
  EXPECT_EQ(value("0**(-0.5) if 0 > 0 else 1.0"), "1.0");
  EXPECT_EQ(value("10**(-0.5) if 10 > 0 else 1.0"), "0.31622776601683794");
  EXPECT_EQ(value("5 if 1 else 1 / 0"), "5");
  EXPECT_EQ(value("0 and 1 / 0"), "0");
  EXPECT_EQ(value("1 or 1 / 0"), "1");
  EXPECT_EQ(value("2 < 1 < 1 / 0"), "0");
  EXPECT_EQ(value("max(1, 1 / 0) if 0 else 3"), "3");
  EXPECT_EQ(value("5 if 1 / 0 else 3"), "error: division by zero");
  EXPECT_EQ(value("1 / 0 or 1"), "error: division by zero");
  EXPECT_EQ(value("not 1 / 0"), "error: division by zero");
}

TEST(Expression, CallsFunctions) {
  EXPECT_EQ(value("int(7.9)"), "7");
  EXPECT_EQ(value("int(-7.9)"), "-7");
  EXPECT_EQ(value("int(1e30)"), "1e+30");
  EXPECT_EQ(value("float(3)"), "3.0");
  EXPECT_EQ(value("round(2.5)"), "2");
  EXPECT_EQ(value("round(3.5)"), "4");
  EXPECT_EQ(value("round(7)"), "7");
  EXPECT_EQ(value("round(2.675, 2)"), "2.67");
  EXPECT_EQ(value("round(1234, -2)"), "1200");
  EXPECT_EQ(value("round(1250.0, -2)"), "1200.0");
  EXPECT_EQ(value("round(5, -500)"), "0");
  EXPECT_EQ(value("round(0.5, 500)"), "0.5");
  EXPECT_EQ(value("max(1, 2.5, 2)"), "2.5");
  EXPECT_EQ(value("min(3, 1, 2)"), "1");
  EXPECT_EQ(value("abs(-3)"), "3");
  EXPECT_EQ(value("abs(2.5)"), "2.5");
}

TEST(Expression, BecomesRealWhenItLeaves64Bits) {
  EXPECT_EQ(value("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(value("9223372036854775808"), "9.223372036854776e+18");
  EXPECT_EQ(value("9223372036854775807 + 1"), "9.223372036854776e+18");
  EXPECT_EQ(value("-9223372036854775807 - 2"), "-9.223372036854776e+18");
  EXPECT_EQ(value("4611686018427387904 * 2"), "9.223372036854776e+18");
  EXPECT_EQ(value("2 ** 62"), "4611686018427387904");
  EXPECT_EQ(value("2 ** 64"), "1.8446744073709552e+19");
  EXPECT_EQ(value("(-9223372036854775807 - 1) // -1"), "9.223372036854776e+18");
  EXPECT_EQ(value("abs(-9223372036854775807 - 1)"), "9.223372036854776e+18");
}

TEST(Expression, SaysWhyThereIsNoValue) {
  EXPECT_EQ(value("1 / 0"), "error: division by zero");
  EXPECT_EQ(value("1 // 0"), "error: division by zero");
  EXPECT_EQ(value("1.5 // 0"), "error: division by zero");
  EXPECT_EQ(value("1 % 0"), "error: division by zero");
  EXPECT_EQ(value("1.5 % 0"), "error: division by zero");
  EXPECT_EQ(value("0 ** -1"), "error: 0 to a negative power");
  EXPECT_EQ(value("(-8) ** 0.5"), "error: a negative number to a power that is not whole");
  EXPECT_EQ(value("10.0 ** 400"), "error: the result is too large");
  EXPECT_EQ(value("1e999"), "error: expected a number at character 1, got '1e999'");
  EXPECT_EQ(value("round(1, 0.5)"), "error: round(): the number of decimals is not an integer");
  EXPECT_EQ(value("int(1, 2)"), "error: int(): expected 1 argument, got 2");
  EXPECT_EQ(value("max(1)"), "error: max(): expected 2 or more arguments, got 1");
  EXPECT_EQ(value("round(1, 2, 3)"), "error: round(): expected 1 or 2 arguments, got 3");
}

TEST(Expression, SaysWhereItWasNotUnderstood) {
  EXPECT_EQ(value(""), "error: expected a number at character 1, got the end");
  EXPECT_EQ(value("2 *"), "error: expected a number at character 4, got the end");
  EXPECT_EQ(value("2 * (3"), "error: expected ')' at character 7, got the end");
  EXPECT_EQ(value("2 3"), "error: expected an operator or the end at character 3, got '3'");
  EXPECT_EQ(value("1,281,167 * 2"), "error: expected an operator or the end at character 2, got ','");
  EXPECT_EQ(value("1 if 2"), "error: expected 'else' at character 7, got the end");
  EXPECT_EQ(value("1.2.3"), "error: expected a number at character 1, got '1.2.3'");
  EXPECT_EQ(value("12px"), "error: expected a number at character 1, got '12px'");
  EXPECT_EQ(value("int 3"), "error: expected '(' at character 5, got '3'");
  EXPECT_EQ(value("Int(3)"),
            "error: expected a number or a function (abs, float, int, max, min, round) such as 'int' at "
            "character 1, "
            "got 'Int'");
  EXPECT_EQ(value("os"),
            "error: expected a number or a function (abs, float, int, max, min, round) such as 'or' at "
            "character 1, "
            "got 'os'");
}

TEST(Expression, RefusesDeepNesting) {
  EXPECT_EQ(value(std::string(50, '(') + "1" + std::string(50, ')')), "1");
  EXPECT_EQ(value(std::string(5000, '(') + "1" + std::string(5000, ')')), "error: nested more than 100 deep");
  EXPECT_EQ(value(std::string(5000, '-') + "1"), "error: nested more than 100 deep");
}

}  // namespace
}  // namespace n2d2::config
