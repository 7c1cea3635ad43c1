#include "expression.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "n2d2/base/text.hpp"

#include "arithmetic.hpp"

namespace n2d2::config {

namespace {

constexpr int kMaxNested = 100;

/// One number too large for 64 bits becomes real.
std::optional<Number> literal(std::string_view text) {
  int64_t whole = 0;
  const char* const end = text.data() + text.size();
  if (const auto r = std::from_chars(text.data(), end, whole); r.ec == std::errc() && r.ptr == end)
    return whole;
  double real = 0;
  if (const auto r = std::from_chars(text.data(), end, real); r.ec == std::errc() && r.ptr == end)
    return real;
  return std::nullopt;
}

/// Recursive descent over the text. Values are computed while parsing; one that cannot be computed carries
/// its reason along and only fails the expression when it reaches the end, which makes conditionals lazy.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { next(); }

  Number parse() {
    const Value value = conditional();
    if (!token_.empty()) expected("an operator or the end");
    if (const auto* failure = std::get_if<Failure>(&value)) throw ConfigError(failure->reason);
    return std::holds_alternative<int64_t>(value) ? Number(std::get<int64_t>(value))
                                                  : Number(std::get<double>(value));
  }

 private:
  struct Nested {
    explicit Nested(Parser& parser) : parser(parser) {
      if (++parser.depth_ > kMaxNested)
        throw ConfigError(fmt::format("nested more than {} deep", kMaxNested));
    }
    ~Nested() { --parser.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    Parser& parser;
  };

  [[noreturn]] void expected(std::string_view what) const {
    throw ConfigError(fmt::format("expected {} at character {}, got {}", what, start_ + 1,
                                  token_.empty() ? "the end" : fmt::format("'{}'", token_)));
  }

  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  void next() {
    start_ = text_.find_first_not_of(" \t\r\n\v\f", start_ + token_.size());
    if (start_ == std::string_view::npos) {
      start_ = text_.size();
      token_ = {};
      return;
    }
    size_t end = start_;
    if (is_digit(at(end)) || (at(end) == '.' && is_digit(at(end + 1)))) {
      end = end_of_number(end);
    } else if (is_name(at(end))) {
      while (is_name(at(end))) ++end;
    } else {
      static constexpr std::array<std::string_view, 6> kPairs{"**", "//", "==", "!=", "<=", ">="};
      end += 1;
      for (const std::string_view pair : kPairs)
        if (text_.substr(start_, 2) == pair) end = start_ + 2;
    }
    token_ = text_.substr(start_, end - start_);
  }
  size_t end_of_number(size_t i) const {
    while (is_digit(at(i)) || at(i) == '.') ++i;
    if (at(i) == 'e' || at(i) == 'E') {
      const size_t sign = at(i + 1) == '+' || at(i + 1) == '-' ? 1 : 0;
      if (is_digit(at(i + 1 + sign)))
        for (i += 1 + sign; is_digit(at(i));) ++i;
    }
    while (is_name(at(i))) ++i;
    return i;
  }
  bool take(std::string_view token) {
    if (token_ != token) return false;
    next();
    return true;
  }
  void require(std::string_view token) {
    if (!take(token)) expected(fmt::format("'{}'", token));
  }

  Value conditional() {
    const Nested nested(*this);
    Value value = disjunction();
    if (!take("if")) return value;
    const Value condition = disjunction();
    require("else");
    Value other = conditional();
    if (std::holds_alternative<Failure>(condition)) return condition;
    return is_true(condition) ? value : other;
  }
  Value disjunction() {
    Value value = conjunction();
    while (take("or")) {
      Value other = conjunction();
      if (!std::holds_alternative<Failure>(value) && !is_true(value)) value = std::move(other);
    }
    return value;
  }
  Value conjunction() {
    Value value = negation();
    while (take("and")) {
      Value other = negation();
      if (!std::holds_alternative<Failure>(value) && is_true(value)) value = std::move(other);
    }
    return value;
  }
  Value negation() {
    if (!take("not")) return comparison();
    const Nested nested(*this);
    const Value value = negation();
    if (std::holds_alternative<Failure>(value)) return value;
    return int64_t{is_true(value) ? 0 : 1};
  }
  /// a < b < c means a < b and b < c, and c is not needed when a < b is false.
  Value comparison() {
    Value left = sum();
    std::optional<Value> result;
    for (std::string_view op = token_; is_comparison(op); op = token_) {
      next();
      Value right = sum();
      if (!result || (!std::holds_alternative<Failure>(*result) && is_true(*result)))
        result = compare(op, left, right);
      left = std::move(right);
    }
    return result ? *result : left;
  }
  Value sum() {
    Value value = product();
    while (token_ == "+" || token_ == "-") {
      const bool plus = token_ == "+";
      next();
      const Value other = product();
      value = plus ? add(value, other) : subtract(value, other);
    }
    return value;
  }
  Value product() {
    Value value = signed_value();
    while (token_ == "*" || token_ == "/" || token_ == "//" || token_ == "%") {
      const std::string_view op = token_;
      next();
      const Value other = signed_value();
      if (op == "*") value = multiply(value, other);
      if (op == "/") value = divide(value, other);
      if (op == "//") value = floor_divide(value, other);
      if (op == "%") value = modulo(value, other);
    }
    return value;
  }
  Value signed_value() {
    if (token_ != "-" && token_ != "+") return power();
    const Nested nested(*this);
    const bool minus = token_ == "-";
    next();
    const Value value = signed_value();
    return minus ? subtract(int64_t{0}, value) : value;
  }
  Value power() {
    Value base = primary();
    if (!take("**")) return base;
    const Nested nested(*this);
    return raise(base, signed_value());
  }
  Value primary() {
    if (take("(")) {
      Value value = conditional();
      require(")");
      return value;
    }
    if (take("True")) return int64_t{1};
    if (take("False")) return int64_t{0};
    if (token_.empty()) expected("a number");
    if (is_digit(token_[0]) || token_[0] == '.') {
      const auto number = literal(token_);
      if (!number) expected("a number");
      next();
      return std::visit([](auto v) { return finite(v); }, *number);
    }
    if (is_name(token_[0])) return call();
    expected("a number");
  }
  Value call() {
    const std::string name(token_);
    const Function* function = find_function(name);
    if (function == nullptr) {
      std::vector<std::string> known{"and", "else", "if", "not", "or"};
      const auto functions = function_names();
      known.insert(known.end(), functions.begin(), functions.end());
      expected("a number or a function (" + join(functions, ", ") + ")" + did_you_mean_text(name, known));
    }
    next();
    require("(");
    std::vector<Value> arguments{conditional()};
    while (take(",")) arguments.push_back(conditional());
    require(")");
    if (arguments.size() < function->min_arguments || arguments.size() > function->max_arguments)
      throw ConfigError(
          fmt::format("{}(): expected {}, got {}", name, function->arguments_text, arguments.size()));
    for (const Value& argument : arguments)
      if (std::holds_alternative<Failure>(argument)) return argument;
    return function->apply(arguments);
  }
  static std::string did_you_mean_text(const std::string& name, const std::vector<std::string>& known) {
    const auto guess = nearest(name, known);
    return guess ? " such as '" + *guess + "'" : "";
  }

  std::string_view text_;
  std::string_view token_;
  size_t start_ = 0;
  int depth_ = 0;
};

}  // namespace

Number evaluate_expression(std::string_view text) {
  return Parser(text).parse();
}

std::string print_number(const Number& number) {
  if (const auto* whole = std::get_if<int64_t>(&number)) return std::to_string(*whole);
  const double value = std::get<double>(number);
  const double magnitude = std::abs(value);
  const bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value,
                                    plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(buffer, result.ptr);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string print_fraction(double value) {
  const std::string text = print_number(value);
  return text.find('e') == std::string::npos ? text + "e0" : text;
}

}  // namespace n2d2::config
