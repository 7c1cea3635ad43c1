#include "n2d2/ops/nonlinearity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "import/node.hpp"

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
};

constexpr std::array<Named, 13> kNamed{{
    {"Celu", ops::Function::Celu, {"alpha", 1}},
    {"Elu", ops::Function::Elu, {"alpha", 1}},
    {"Erf", ops::Function::Erf},
    {"Gelu", ops::Function::Gelu},
    {"HardSigmoid", ops::Function::HardSigmoid, {"alpha", 0.2F}, {"beta", 0.5}},
    {"HardSwish", ops::Function::HardSwish, {nullptr, 1.0 / 6}, {nullptr, 0.5}},
    {"Selu", ops::Function::Selu, {"alpha", 1.67326319217681884765625}, {"gamma", 1.05070102214813232421875}},
    {"Sigmoid", ops::Function::Logistic},
    {"Softplus", ops::Function::Softplus},
    {"Softsign", ops::Function::Softsign},
    {"Swish", ops::Function::Swish, {"alpha", 1}},
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
  const Operand& data = node.data();
  node.finish(std::make_unique<ops::Nonlinearity>(make(node, named)), {data.value}, data.dims);
}

void fold(Node& node, const Named& named) {
  const Array& in = node.constant(0, "the operand");
  if (in.is_integer) refuse("of integers is not folded");
  const ops::Nonlinearity op = make(node, named);
  std::vector<float> values(in.reals.size());
  std::transform(in.reals.begin(), in.reals.end(), values.begin(),
                 [&](float x) { return static_cast<float>(op.value(x)); });
  node.set_constant(Array::of_reals(in.dims, std::move(values)));
}

}  // namespace

void register_nonlinearity(RuleRegistry& registry);
void register_nonlinearity(RuleRegistry& registry) {
  for (const Named& named : kNamed)
    registry.add(named.type, {[&named](Node& node) { convert(node, named); },
                              [&named](Node& node) { fold(node, named); }});
}

}  // namespace n2d2::onnx
