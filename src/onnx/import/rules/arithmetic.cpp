#include <algorithm>
#include <cmath>
#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/matmul.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/scaling.hpp"

#include "elemwise.hpp"
#include "import/operands.hpp"
#include "nonlinearity.hpp"

namespace n2d2::onnx {

namespace {

/// A constant next to the data as one value a channel; nothing when it varies in another way, or makes the
/// result larger than the data.
std::optional<std::vector<double>> per_channel(const Array& constant, const Extents& data) {
  if (constant.is_integer || constant.size() == 0 || constant.dims.size() > data.size() ||
      broadcast(constant.dims, data) != data)
    return std::nullopt;
  const int64_t channels = data.size() > 1 ? data[1] : 1;
  const auto same = [&](float x) { return x == constant.reals[0]; };
  if (std::all_of(constant.reals.begin(), constant.reals.end(), same))
    return std::vector<double>(static_cast<size_t>(channels), constant.reals[0]);
  const size_t offset = data.size() - constant.dims.size();
  for (size_t i = 0; i < constant.dims.size(); ++i)
    if (constant.dims[i] != 1 && i + offset != 1) return std::nullopt;
  return std::vector<double>(constant.reals.begin(), constant.reals.end());
}

bool all_are(const std::vector<double>& list, double value) {
  return std::all_of(list.begin(), list.end(), [&](double x) { return x == value; });
}

Tensor vector_of(const std::vector<double>& values) {
  Tensor out(Shape{static_cast<int64_t>(values.size())});
  std::transform(values.begin(), values.end(), out.data<float>(),
                 [](double x) { return static_cast<float>(x); });
  return out;
}

/// Adds the offsets to the biases of the Conv or Fc that makes the data, if nothing else reads it.
bool merge_into_biases(Node& node, size_t slot, const std::vector<double>& offset) {
  const graph::Node* layer = node.own_producer(slot);
  if (layer == nullptr || !graph::integer_form(node.graph(), *layer).weighted) return false;
  const Operand& data = node.data(slot);
  if (graph::as<ops::Fc>(*layer) && data.dims.size() != 2) return false;
  std::vector<double> biases = offset;
  std::vector<graph::ValueId> inputs = layer->inputs;
  if (inputs.size() > 2) {
    const auto old = node.graph().value(inputs[2]).constant->span<float>();
    for (size_t i = 0; i < biases.size(); ++i) biases[i] += old[i];
    inputs.pop_back();
  }
  const std::string name = node.graph().unique_name(layer->name + "_biases");
  inputs.push_back(node.graph().add_constant(name, vector_of(biases)));
  node.graph().replace(layer->id, layer->op->clone(), std::move(inputs));
  node.set_value(data.value, data.dims);
  return true;
}

/// y = factor x + offset for each channel, with the statistics of a BatchNorm that does just that.
std::unique_ptr<ops::BatchNorm> affine() {
  auto norm = std::make_unique<ops::BatchNorm>();
  norm->epsilon = 0;
  norm->momentum = 0;
  return norm;
}

std::vector<graph::ValueId> affine_inputs(Node& node, graph::ValueId data, const std::vector<double>& factor,
                                          const std::vector<double>& offset) {
  return {data, node.add_constant("scales", vector_of(factor)),
          node.add_constant("biases", vector_of(offset)),
          node.add_constant("means", vector_of(std::vector<double>(factor.size(), 0))),
          node.add_constant("variances", vector_of(std::vector<double>(factor.size(), 1)))};
}

/// A Scaling followed by an offset of its own is one BatchNorm.
bool merge_into_scaling(Node& node, size_t slot, const std::vector<double>& offset) {
  const graph::Node* layer = node.own_producer(slot);
  const auto* scaling = layer != nullptr ? graph::as<ops::Scaling>(*layer) : nullptr;
  if (scaling == nullptr || layer->clamp) return false;
  const Operand& data = node.data(slot);
  std::vector<double> factor = scaling->factor;
  factor.resize(offset.size(), factor[0]);
  node.graph().replace(layer->id, affine(), affine_inputs(node, layer->inputs.at(0), factor, offset));
  node.set_value(data.value, data.dims);
  return true;
}

/// Whether a Conv or Fc with integer weights makes the data for nothing else: the integers stay, and their
/// scales take a factor that is a BatchNorm (fuse_batchnorm).
bool is_of_integer_weights(Node& node, size_t slot) {
  const graph::Node* layer = node.own_producer(slot);
  if (layer == nullptr || !graph::integer_form(node.graph(), *layer).weighted) return false;
  return node.graph().value(layer->inputs.at(1)).type.quant.has_value();
}

/// A product of two maps takes a factor of all that it makes.
bool merge_into_product(Node& node, size_t slot, const std::vector<double>& factor) {
  const graph::Node* layer = node.own_producer(slot);
  const auto* product = layer != nullptr ? graph::as<ops::MatMul>(*layer) : nullptr;
  if (product == nullptr || layer->clamp || !all_are(factor, factor[0])) return false;
  auto made = std::make_unique<ops::MatMul>(*product);
  made->factor *= factor[0];
  node.graph().replace(layer->id, std::move(made), layer->inputs);
  const Operand& data = node.data(slot);
  node.set_value(data.value, data.dims);
  return true;
}

void finish_affine(Node& node, size_t slot, const std::vector<double>& factor,
                   const std::vector<double>& offset) {
  const Operand& data = node.data(slot);
  if (!all_are(offset, 0)) {
    if (all_are(factor, 1) &&
        (merge_into_biases(node, slot, offset) || merge_into_scaling(node, slot, offset)))
      return;
    return node.finish(affine(), affine_inputs(node, data.value, factor, offset), data.dims);
  }
  if (all_are(factor, 1)) return node.set_value(data.value, data.dims);
  if (is_of_integer_weights(node, slot))
    return node.finish(affine(), affine_inputs(node, data.value, factor, offset), data.dims);
  if (merge_into_product(node, slot, factor)) return;
  auto scaling = std::make_unique<ops::Scaling>();
  scaling->factor = all_are(factor, factor[0]) ? std::vector<double>{factor[0]} : factor;
  node.finish(std::move(scaling), {data.value}, data.dims);
}

std::vector<double> signs_of(Sign sign) {
  return {1, sign == Sign::Sub ? -1.0 : 1.0};
}

/// A constant divided by data is a multiple of their reciprocals.
void divide_constant(Node& node) {
  const Operand& data = node.data(1);
  const auto c = per_channel(node.constant(0, "the operand"), data.dims);
  if (!c)
    refuse("a constant that varies along the map divided by data is not imported",
           "one number, or one a channel, is");
  if (!std::all_of(c->begin(), c->end(), [](double x) { return std::isfinite(x); }))
    refuse("a constant that is not finite divided by data");
  ops::Nonlinearity reciprocal;
  reciprocal.function = ops::Function::Reciprocal;
  tell_domain(node, reciprocal);
  auto function = std::make_unique<ops::Nonlinearity>(reciprocal);
  if (all_are(*c, 1)) return node.finish(std::move(function), {data.value}, data.dims);
  const graph::ValueId value = node.add(std::move(function), {data.value}, "reciprocal");
  auto scaling = std::make_unique<ops::Scaling>();
  scaling->factor = all_are(*c, (*c)[0]) ? std::vector<double>{(*c)[0]} : *c;
  node.finish(std::move(scaling), {value}, data.dims);
}

/// A quotient of data is a product with the reciprocals of the divisors.
void divide_by_data(Node& node) {
  const Operand &dividend = node.data(0), &divisor = node.data(1);
  const Extents out = joint_extents({dividend.dims, divisor.dims});
  log::notice("{}: divisors nearer to 0 than 2^-126 count as this number, with their sign",
              node.file().subject());
  auto reciprocal = std::make_unique<ops::Nonlinearity>();
  reciprocal->function = ops::Function::Reciprocal;
  const graph::ValueId shares = node.add(std::move(reciprocal), {divisor.value}, "reciprocal");
  auto product = std::make_unique<ops::ElemWise>();
  product->operation = ops::ElemWiseOperation::Prod;
  node.finish(std::move(product), {dividend.value, shares}, out);
}

/// Data and a constant, in either order.
void convert_with_constant(Node& node, Sign sign) {
  const size_t slot = node.input(0).is_constant() ? 1 : 0;
  if (sign == Sign::Div && slot == 1) return divide_constant(node);
  const Array& constant = node.constant(1 - slot, "the operand");
  if (sign == Sign::Div &&
      std::any_of(constant.reals.begin(), constant.reals.end(), [](float x) { return x == 0; }))
    refuse("a division by 0");
  const auto c = per_channel(constant, node.data(slot).dims);
  if (!c) return finish_elemwise(node, sign, signs_of(sign));
  std::vector<double> factor(c->size(), 1), offset(c->size(), 0);
  for (size_t i = 0; i < c->size(); ++i) {
    const double value = (*c)[i];
    if (sign == Sign::Add || (sign == Sign::Sub && slot == 1)) offset[i] = value;
    if (sign == Sign::Sub && slot == 0) offset[i] = -value;
    if (sign == Sign::Sub && slot == 1) factor[i] = -1;
    if (sign == Sign::Mul) factor[i] = value;
    if (sign == Sign::Div) factor[i] = 1 / value;
    if (!std::isfinite(factor[i])) refuse(fmt::format("a factor of {}", factor[i]));
  }
  finish_affine(node, slot, factor, offset);
}

/// x times Logistic(x) or HardSigmoid(x) that nothing else reads is one function.
bool merge_into_gate(Node& node) {
  for (const size_t slot : {0, 1}) {
    const graph::Node* layer = node.own_producer(slot);
    const auto* gate = layer != nullptr ? graph::as<ops::Nonlinearity>(*layer) : nullptr;
    if (gate == nullptr || layer->inputs.at(0) != node.data(1 - slot).value) continue;
    if (gate->function != ops::Function::Logistic && gate->function != ops::Function::HardSigmoid) continue;
    auto whole = std::make_unique<ops::Nonlinearity>(*gate);
    whole->function =
        gate->function == ops::Function::Logistic ? ops::Function::Swish : ops::Function::HardSwish;
    node.graph().replace(layer->id, std::move(whole), layer->inputs);
    const Operand& data = node.data(slot);
    node.set_value(data.value, data.dims);
    return true;
  }
  return false;
}

void convert_two(Node& node, Sign sign) {
  if (node.input_count() != 2) refuse(fmt::format("{} operands, expected 2", node.input_count()));
  if (node.input(0).is_constant() || node.input(1).is_constant()) return convert_with_constant(node, sign);
  if (sign == Sign::Mul && merge_into_gate(node)) return;
  if (sign == Sign::Div) return divide_by_data(node);
  finish_elemwise(node, sign, signs_of(sign));
}

void convert_neg(Node& node) {
  const size_t channels = static_cast<size_t>(map_shape(node.data().dims).c());
  finish_affine(node, 0, std::vector<double>(channels, -1), std::vector<double>(channels, 0));
}

void fold_neg(Node& node) {
  const Array& x = node.constant(0, "the operand");
  node.set_constant(fold_two(Sign::Sub, x.like({}), x));
}

void add_two(RuleRegistry& registry, const char* type, Sign sign) {
  registry.add(type, {[sign](Node& node) { convert_two(node, sign); },
                      [sign](Node& node) {
                        node.set_constant(
                            fold_two(sign, node.constant(0, "the operand"), node.constant(1, "the operand")));
                      }});
}

}  // namespace

graph::ValueId add_affine(Node& node, graph::ValueId value, const std::vector<double>& factor,
                          const std::vector<double>& offset) {
  if (!all_are(offset, 0)) return node.add(affine(), affine_inputs(node, value, factor, offset));
  if (all_are(factor, 1)) return value;
  auto scaling = std::make_unique<ops::Scaling>();
  scaling->factor = factor;
  return node.add(std::move(scaling), {value});
}

void register_arithmetic(RuleRegistry& registry);
void register_arithmetic(RuleRegistry& registry) {
  add_two(registry, "Add", Sign::Add);
  add_two(registry, "Div", Sign::Div);
  add_two(registry, "Mul", Sign::Mul);
  add_two(registry, "Sub", Sign::Sub);
  registry.add("Neg", {convert_neg, fold_neg});
}

}  // namespace n2d2::onnx
