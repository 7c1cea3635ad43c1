#include "n2d2/ops/nonlinearity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "n2d2/base/log.hpp"

#include "nonlinearity.hpp"

namespace n2d2::onnx {

namespace {

/// Alpha or Beta: the attribute that sets it, null where there is none, and what it is without.
struct Setting {
  const char* attribute = nullptr;
  double missing = 0;
};

struct Named {
  const char* type;
  ops::Function function;
  Setting alpha{nullptr, 1};
  Setting beta{};
  /// What constants become where it is not what data become: infinities, and what is no number.
  double (*of_constants)(double) = nullptr;
};

constexpr std::array<Named, 35> kNamed{{
    {"Abs", ops::Function::Abs, {}, {}, [](double x) { return std::abs(x); }},
    {"Acos", ops::Function::Acos, {}, {}, [](double x) { return std::acos(x); }},
    {"Acosh", ops::Function::Acosh, {}, {}, [](double x) { return std::acosh(x); }},
    {"Asin", ops::Function::Asin, {}, {}, [](double x) { return std::asin(x); }},
    {"Asinh", ops::Function::Asinh, {}, {}, [](double x) { return std::asinh(x); }},
    {"Atan", ops::Function::Atan, {}, {}, [](double x) { return std::atan(x); }},
    {"Atanh", ops::Function::Atanh, {}, {}, [](double x) { return std::atanh(x); }},
    {"Ceil", ops::Function::Ceil, {}, {}, [](double x) { return std::ceil(x); }},
    {"Celu", ops::Function::Celu, {"alpha", 1}},
    {"Cos", ops::Function::Cos, {}, {}, [](double x) { return std::cos(x); }},
    {"Cosh", ops::Function::Cosh, {}, {}, [](double x) { return std::cosh(x); }},
    {"Elu", ops::Function::Elu, {"alpha", 1}},
    {"Erf", ops::Function::Erf},
    {"Exp", ops::Function::Exp, {}, {}, [](double x) { return std::exp(x); }},
    {"Floor", ops::Function::Floor, {}, {}, [](double x) { return std::floor(x); }},
    {"Gelu", ops::Function::Gelu},
    {"HardSigmoid", ops::Function::HardSigmoid, {"alpha", 0.2F}, {"beta", 0.5}},
    {"HardSwish", ops::Function::HardSwish, {nullptr, 1.0 / 6}, {nullptr, 0.5}},
    {"Log", ops::Function::Log, {}, {}, [](double x) { return std::log(x); }},
    {"Mish", ops::Function::Mish},
    {"Reciprocal", ops::Function::Reciprocal, {}, {}, [](double x) { return 1 / x; }},
    {"Round", ops::Function::Round, {}, {}, [](double x) { return std::nearbyint(x); }},
    {"Selu", ops::Function::Selu, {"alpha", 1.67326319217681884765625}, {"gamma", 1.05070102214813232421875}},
    {"Shrink", ops::Function::Shrink, {"lambd", 0.5}, {"bias", 0}},
    {"Sigmoid", ops::Function::Logistic},
    {"Sign", ops::Function::Sign},
    {"Sin", ops::Function::Sin, {}, {}, [](double x) { return std::sin(x); }},
    {"Sinh", ops::Function::Sinh, {}, {}, [](double x) { return std::sinh(x); }},
    {"Softplus", ops::Function::Softplus},
    {"Softsign", ops::Function::Softsign},
    {"Sqrt", ops::Function::Sqrt, {}, {}, [](double x) { return std::sqrt(x); }},
    {"Swish", ops::Function::Swish, {"alpha", 1}},
    {"Tan", ops::Function::Tan, {}, {}, [](double x) { return std::tan(x); }},
    {"Tanh", ops::Function::Tanh},
    {"ThresholdedRelu", ops::Function::ThresholdedRelu, {"alpha", 1}},
}};

double read(Node& node, const Setting& setting) {
  if (setting.attribute == nullptr) return setting.missing;
  const double value = node.real(setting.attribute, setting.missing);
  if (!std::isfinite(value))
    refuse(fmt::format("{} is {}, expected a finite number", setting.attribute, value));
  return value;
}

ops::Nonlinearity make(Node& node, const Named& named) {
  ops::Nonlinearity op;
  op.function = named.function;
  if (named.function == ops::Function::Gelu) {
    const std::string way = node.text("approximate", "none");
    if (way != "none" && way != "tanh")
      refuse(fmt::format("approximate '{}' is not imported, only none and tanh", way));
    if (way == "tanh") op.function = ops::Function::GeluTanh;
  }
  op.alpha = read(node, named.alpha);
  op.beta = read(node, named.beta);
  return op;
}

void convert(Node& node, const Named& named) {
  finish_function(node, make(node, named));
}

/// The functions that integers have, too.
void fold_integers(Node& node, const Named& named) {
  Array out = node.constant(0, "the operand");
  for (int64_t& x : out.integers) {
    if (named.function == ops::Function::Abs)
      x = x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
    else if (named.function == ops::Function::Sign)
      x = x > 0 ? 1 : x < 0 ? -1 : 0;
    else
      refuse("of integers is not folded");
  }
  node.set_constant(std::move(out));
}

void fold(Node& node, const Named& named) {
  const Array& in = node.constant(0, "the operand");
  if (in.is_integer) return fold_integers(node, named);
  const ops::Nonlinearity op = make(node, named);
  std::vector<float> values(in.reals.size());
  std::transform(in.reals.begin(), in.reals.end(), values.begin(), [&](float x) {
    return static_cast<float>(named.of_constants != nullptr ? named.of_constants(x) : op.value(x));
  });
  node.set_constant(Array::of_reals(in.dims, std::move(values)));
}

/// What the function makes of numbers outside its domain; empty where it has none.
std::string_view text_of_domain(const ops::Nonlinearity& op) {
  switch (op.function) {
    case ops::Function::Acos:
    case ops::Function::Asin:
    case ops::Function::Atanh:
      return "values beyond -1 and 1 count as these";
    case ops::Function::Acosh:
      return "values below 1 count as 1";
    case ops::Function::Log:
      return "values below 2^-126 count as this number";
    case ops::Function::Power:
      if (op.alpha != std::floor(op.alpha))
        return op.alpha < 0 ? "values below 2^-126 count as this number" : "values below 0 count as 0";
      if (op.alpha >= 0) return {};
      [[fallthrough]];
    case ops::Function::Reciprocal:
      return "values nearer to 0 than 2^-126 count as this number, with their sign";
    case ops::Function::Sqrt:
      return "values below 0 count as 0";
    default:
      return {};
  }
}

}  // namespace

void tell_domain(const Node& node, const ops::Nonlinearity& op) {
  if (const std::string_view text = text_of_domain(op); !text.empty())
    log::notice("{}: {}", node.file().subject(), text);
}

void finish_function(Node& node, const ops::Nonlinearity& op) {
  const Operand& data = node.data();
  tell_domain(node, op);
  node.finish(std::make_unique<ops::Nonlinearity>(op), {data.value}, data.dims);
}

void register_nonlinearity(RuleRegistry& registry);
void register_nonlinearity(RuleRegistry& registry) {
  for (const Named& named : kNamed)
    registry.add(named.type, {[&named](Node& node) { convert(node, named); },
                              [&named](Node& node) { fold(node, named); }});
}

}  // namespace n2d2::onnx
