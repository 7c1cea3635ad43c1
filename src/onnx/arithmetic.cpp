#include <algorithm>
#include <cmath>

#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/scaling.hpp"

#include "node.hpp"

namespace n2d2::onnx {

namespace {

enum class Sign { Add, Sub, Mul, Div };

double apply(Sign sign, double a, double b) {
  switch (sign) {
    case Sign::Add:
      return a + b;
    case Sign::Sub:
      return a - b;
    case Sign::Mul:
      return a * b;
    case Sign::Div:
      break;
  }
  return a / b;
}

/// Integers wrap like those of the machine; a quotient is cut off.
int64_t apply(Sign sign, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (sign) {
    case Sign::Add:
      return static_cast<int64_t>(x + y);
    case Sign::Sub:
      return static_cast<int64_t>(x - y);
    case Sign::Mul:
      return static_cast<int64_t>(x * y);
    case Sign::Div:
      break;
  }
  if (b == 0) refuse("an integer is divided by 0");
  return b == -1 ? static_cast<int64_t>(0 - x) : a / b;
}

Array fold_two(Sign sign, const Array& a, const Array& b) {
  if (a.is_integer != b.is_integer) refuse("one operand is integer, the other real");
  Array out = a.like(broadcast(a.dims, b.dims));
  for_broadcast(out.dims, a.dims, b.dims, [&](int64_t i, int64_t at_a, int64_t at_b) {
    const auto k = static_cast<size_t>(i), x = static_cast<size_t>(at_a), y = static_cast<size_t>(at_b);
    if (out.is_integer)
      out.integers[k] = apply(sign, a.integers[x], b.integers[y]);
    else
      out.reals[k] =
          static_cast<float>(apply(sign, static_cast<double>(a.reals[x]), static_cast<double>(b.reals[y])));
  });
  return out;
}

/// Sum of all inputs, times factor.
void fold_sum(Node& node, double factor) {
  Array sum = node.constant(0, "the operands");
  for (size_t i = 1; i < node.input_count(); ++i)
    sum = fold_two(Sign::Add, sum, node.constant(i, "the operands"));
  for (float& x : sum.reals) x = static_cast<float>(x * factor);
  sum.steps.clear();
  node.set_constant(std::move(sum));
}

/// A constant next to the data as one value a channel. Refused when it varies in another way.
std::vector<double> per_channel(const Array& constant, const Extents& data) {
  const std::string reason =
      fmt::format("a constant of {} next to data of {}", text_of(constant.dims), text_of(data));
  const std::string hint = "only one value, or one a channel, is imported";
  if (constant.is_integer || constant.size() == 0) refuse(reason, hint);
  const int64_t channels = data.size() > 1 ? data[1] : 1;
  const auto same = [&](float x) { return x == constant.reals[0]; };
  const bool fits = constant.dims.size() <= data.size() && broadcast(constant.dims, data) == data;
  if (!fits) refuse(reason + " does not have the result's extents", hint);
  if (std::all_of(constant.reals.begin(), constant.reals.end(), same))
    return std::vector<double>(static_cast<size_t>(channels), constant.reals[0]);
  const size_t offset = data.size() - constant.dims.size();
  for (size_t i = 0; i < constant.dims.size(); ++i)
    if (constant.dims[i] != 1 && i + offset != 1) refuse(reason, hint);
  return {constant.reals.begin(), constant.reals.end()};
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
  if (layer == nullptr || !(graph::as<ops::Conv>(*layer) || graph::as<ops::Fc>(*layer))) return false;
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
  auto scaling = std::make_unique<ops::Scaling>();
  scaling->factor = all_are(factor, factor[0]) ? std::vector<double>{factor[0]} : factor;
  node.finish(std::move(scaling), {data.value}, data.dims);
}

/// Data and a constant, in either order.
void convert_with_constant(Node& node, Sign sign) {
  const size_t slot = node.input(0).is_constant() ? 1 : 0;
  const Extents& dims = node.data(slot).dims;
  const std::vector<double> c = per_channel(node.constant(1 - slot, "the operand"), dims);
  std::vector<double> factor(c.size(), 1), offset(c.size(), 0);
  for (size_t i = 0; i < c.size(); ++i) {
    if (sign == Sign::Add || (sign == Sign::Sub && slot == 1)) offset[i] = c[i];
    if (sign == Sign::Sub && slot == 0) offset[i] = -c[i];
    if (sign == Sign::Sub && slot == 1) factor[i] = -1;
    if (sign == Sign::Mul) factor[i] = c[i];
    if (sign == Sign::Div) factor[i] = 1 / c[i];
    if (!std::isfinite(factor[i])) refuse("a division by 0");
  }
  if (sign == Sign::Div && slot == 1)
    refuse("a constant divided by data is not imported", "only data divided by constants is");
  finish_affine(node, slot, factor, offset);
}

/// Sum of tensors of the same extents, each with its weight.
void finish_sum(Node& node, std::vector<double> weights) {
  const Extents& dims = node.data(0).dims;
  std::vector<graph::ValueId> inputs;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Operand& operand = node.data(i);
    if (operand.dims != dims)
      refuse(fmt::format("operands of {} and {}: tensors that depend on the data do not broadcast",
                         text_of(dims), text_of(operand.dims)),
             "give both operands the same extents");
    inputs.push_back(operand.value);
  }
  auto sum = std::make_unique<ops::ElemWise>();
  sum->operation = ops::ElemWiseOperation::Sum;
  if (!all_are(weights, 1)) sum->weights = std::move(weights);
  node.finish(std::move(sum), std::move(inputs), dims);
}

void convert_two(Node& node, Sign sign) {
  if (node.input_count() != 2) refuse(fmt::format("{} operands, expected 2", node.input_count()));
  if (node.input(0).is_constant() || node.input(1).is_constant()) return convert_with_constant(node, sign);
  if (sign == Sign::Mul || sign == Sign::Div)
    refuse("both operands depend on the network's input, which is not imported",
           "only products with constants are (one value, or one a channel)");
  finish_sum(node, {1, sign == Sign::Add ? 1.0 : -1.0});
}

void convert_sum(Node& node) {
  if (node.input_count() == 2) return convert_two(node, Sign::Add);
  finish_sum(node, std::vector<double>(node.input_count(), 1));
}

void convert_mean(Node& node) {
  finish_sum(node, std::vector<double>(node.input_count(), 1.0 / static_cast<double>(node.input_count())));
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

void register_arithmetic(RuleRegistry& registry);
void register_arithmetic(RuleRegistry& registry) {
  add_two(registry, "Add", Sign::Add);
  add_two(registry, "Div", Sign::Div);
  add_two(registry, "Mul", Sign::Mul);
  add_two(registry, "Sub", Sign::Sub);
  registry.add("Mean", {convert_mean, [](Node& node) {
                          fold_sum(node, 1.0 / static_cast<double>(std::max<size_t>(1, node.input_count())));
                        }});
  registry.add("Neg", {convert_neg, fold_neg});
  registry.add("Sum", {convert_sum, [](Node& node) { fold_sum(node, 1); }});
}

}  // namespace n2d2::onnx
