#include "elemwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "n2d2/ops/elemwise.hpp"

#include "clip.hpp"
#include "import/operands.hpp"
#include "nonlinearity.hpp"

namespace n2d2::onnx {

namespace {

ops::ElemWiseOperation operation_of(Sign sign) {
  switch (sign) {
    case Sign::Mul:
      return ops::ElemWiseOperation::Prod;
    case Sign::Div:
      return ops::ElemWiseOperation::Div;
    case Sign::Max:
      return ops::ElemWiseOperation::Max;
    case Sign::Min:
      return ops::ElemWiseOperation::Min;
    case Sign::Add:
    case Sign::Sub:
      break;
  }
  return ops::ElemWiseOperation::Sum;
}

/// All constant inputs joined; nothing when there is none.
std::optional<Array> joint_constant(Node& node, Sign sign) {
  std::optional<Array> out;
  for (size_t i = 0; i < node.input_count(); ++i)
    if (node.input(i).is_constant()) {
      const Array& next = node.constant(i, "the operand");
      out = out ? fold_two(sign, *out, next) : next;
    }
  return out;
}

/// Returns the joint constant of a node that also has data as inputs. Refused when the joint constant is
/// larger than each of its parts, because it is kept.
std::optional<Array> joint_operand(Node& node, Sign sign) {
  std::optional<Array> out = joint_constant(node, sign);
  int64_t largest = 0;
  for (size_t i = 0; i < node.input_count(); ++i)
    if (node.input(i).is_constant()) largest = std::max(largest, node.constant(i, "the operand").size());
  if (out && out->size() > largest)
    refuse(fmt::format("its constants are {} together, larger than any of them", text_of(out->dims)),
           "fold constants before the import (onnxsim, or graph optimization of ONNX Runtime)");
  return out;
}

/// Joins all inputs, which are constants, and multiplies by the factor.
void fold_all(Node& node, Sign sign, double factor) {
  Array out = *joint_constant(node, sign);
  if (factor != 1) {
    std::vector<float> values = out.reals;
    for (float& x : values) x = static_cast<float>(x * factor);
    out = out.is_integer ? out : Array::of_reals(out.dims, std::move(values));
  }
  node.set_constant(std::move(out));
}

double share_of(Node& node) {
  return 1.0 / static_cast<double>(std::max<size_t>(1, node.input_count()));
}

/// What rounds a sum of integers has factors, which ONNX has not (compose_integer_chains).
void convert_sum(Node& node) {
  const std::vector<float> weights = node.reals("n2d2_weights");
  const auto is_finite = [](float weight) { return std::isfinite(weight); };
  if (!weights.empty() &&
      (weights.size() != node.input_count() || !std::all_of(weights.begin(), weights.end(), is_finite)))
    refuse(
        fmt::format("n2d2_weights has {} values, expected a finite number for each input", weights.size()));
  finish_elemwise(node, Sign::Add, {weights.begin(), weights.end()});
}

void convert_mean(Node& node) {
  finish_elemwise(node, Sign::Add, std::vector<double>(node.input_count(), share_of(node)));
}

/// The largest or smallest of one tensor and one number is a clamp.
bool is_clip(Node& node, const std::optional<Array>& constant, const Operand*& data) {
  size_t tensors = 0;
  for (size_t i = 0; i < node.input_count(); ++i)
    if (!node.input(i).is_constant()) {
      data = &node.data(i);
      ++tensors;
    }
  if (tensors != 1 || !constant || constant->is_integer || constant->size() == 0) return false;
  const auto same = [&](float x) { return x == constant->reals[0]; };
  return std::all_of(constant->reals.begin(), constant->reals.end(), same) &&
         constant->dims.size() <= data->dims.size() && broadcast(data->dims, constant->dims) == data->dims;
}

void convert_extreme(Node& node, Sign sign) {
  const std::optional<Array> constant = joint_operand(node, sign);
  const Operand* data = nullptr;
  if (!is_clip(node, constant, data)) return finish_elemwise(node, sign);
  const double bound = constant->at(0);
  if (sign == Sign::Max) return finish_clip(node, *data, bound, kInfinity);
  finish_clip(node, *data, -kInfinity, bound);
}

/// Exponents that have a function of their own.
ops::Nonlinearity power_of(double exponent) {
  ops::Nonlinearity op;
  op.function = exponent == 0.5  ? ops::Function::Sqrt
                : exponent == -1 ? ops::Function::Reciprocal
                                 : ops::Function::Power;
  if (op.function == ops::Function::Power) op.alpha = exponent;
  return op;
}

/// A power with a small whole exponent is a product.
void convert_pow(Node& node) {
  constexpr double kMostFactors = 4;
  const Operand& data = node.data();
  const Array& exponent = node.constant(1, "the exponent");
  const double power = exponent.size() == 1 ? exponent.at(0) : kInfinity;
  if (exponent.dims.size() > data.dims.size() || !std::isfinite(power))
    refuse(fmt::format("an exponent of {}, expected one finite number",
                       exponent.size() == 1 ? fmt::format("{}", power) : text_of(exponent.dims)));
  if (power == 1) return node.pass_on(data, data.dims);
  if (!(power >= 1 && power <= kMostFactors) || power != std::floor(power))
    return finish_function(node, power_of(power));
  auto product = std::make_unique<ops::ElemWise>();
  product->operation = ops::ElemWiseOperation::Prod;
  node.finish(std::move(product), std::vector<graph::ValueId>(static_cast<size_t>(power), data.value),
              data.dims);
}

/// Integers wrap like those of the machine.
int64_t whole_power(int64_t base, int64_t exponent) {
  uint64_t out = 1, square = static_cast<uint64_t>(base);
  for (auto left = static_cast<uint64_t>(exponent); left != 0; left /= 2, square *= square)
    if (left % 2 != 0) out *= square;
  return static_cast<int64_t>(out);
}

/// A power of integers is one again: of a whole exponent from 0 on exactly, else without its fraction.
int64_t integer_power(const Array& base, int64_t a, const Array& exponent, int64_t b) {
  const int64_t x = base.integers[static_cast<size_t>(a)];
  if (exponent.is_integer && exponent.integers[static_cast<size_t>(b)] >= 0)
    return whole_power(x, exponent.integers[static_cast<size_t>(b)]);
  const double power = std::pow(static_cast<double>(x), exponent.at(b));
  if (!(std::abs(power) < 0x1p63)) refuse(fmt::format("a power of integers is {}", power));
  return static_cast<int64_t>(power);
}

void fold_pow(Node& node) {
  const Array& base = node.constant(0, "the base");
  const Array& exponent = node.constant(1, "the exponent");
  Array out = base.like(broadcast(base.dims, exponent.dims));
  out.steps.clear();
  for_broadcast(out.dims, base.dims, exponent.dims, [&](int64_t i, int64_t a, int64_t b) {
    if (out.is_integer)
      out.integers[static_cast<size_t>(i)] = integer_power(base, a, exponent, b);
    else
      out.reals[static_cast<size_t>(i)] = static_cast<float>(std::pow(base.at(a), exponent.at(b)));
  });
  node.set_constant(std::move(out));
}

void add_extreme(RuleRegistry& registry, const char* type, Sign sign) {
  registry.add(type, {[sign](Node& node) { convert_extreme(node, sign); },
                      [sign](Node& node) { fold_all(node, sign, 1); }});
}

/// Infinite elements of a sum, as masks in front of a Softmax have them, end at the largest finite float:
/// their shares are 0 all the same.
void end_at_largest(Tensor& operands) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (float& x : operands.span()) x = std::clamp(x, -kLargest, kLargest);
}

/// A constant on top of another one, as positions on class tokens, is their sum.
bool merge_constants(Node& node, const ops::ElemWise& op, const std::vector<graph::ValueId>& inputs,
                     const Extents& out) {
  size_t slot = 0;
  while (node.input(slot).is_constant()) ++slot;
  const graph::Node* before = node.own_producer(slot);
  const auto* sum = before != nullptr ? graph::as<ops::ElemWise>(*before) : nullptr;
  const auto is_one = [](double weight) { return weight == 1; };
  if (sum == nullptr || before->clamp || sum->operation != ops::ElemWiseOperation::Sum ||
      sum->constants_from != 1 || !sum->weights.empty() || !sum->shifts.empty() ||
      !std::all_of(op.weights.begin(), op.weights.end(), is_one))
    return false;
  graph::Graph& graph = node.graph();
  Tensor joint = *graph.value(before->inputs.at(1)).constant;
  const Tensor& more = *graph.value(inputs.at(1)).constant;
  if (more.shape() != joint.shape() || graph.value(inputs[0]).type.shape != map_shape(out)) return false;
  for (int64_t i = 0; i < joint.elements(); ++i) joint.data<float>()[i] += more.data<float>()[i];
  const graph::ValueId source = before->inputs[0];
  end_at_largest(joint);
  graph.replace(before->id, before->op->clone(), {source, node.add_constant("sums", std::move(joint))});
  node.set_value(inputs[0], out);
  return true;
}

}  // namespace

void finish_elemwise(Node& node, Sign sign, const std::vector<double>& weights) {
  auto op = std::make_unique<ops::ElemWise>();
  op->operation = operation_of(sign);
  std::vector<Extents> dims;
  std::vector<graph::ValueId> inputs;
  double constant_weight = 1;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (node.input(i).is_constant()) {
      constant_weight = weight;
      continue;
    }
    dims.push_back(node.data(i).dims);
    inputs.push_back(node.data(i).value);
    op->weights.push_back(weight);
  }
  Extents out = joint_extents(dims);
  if (const std::optional<Array> constant = joint_operand(node, sign)) {
    const Extents larger = broadcast(out, constant->dims);
    if (larger.size() == out.size() && larger[0] == out[0]) out = larger;
    dims.push_back(out);
    out = joint_extents(dims);
    op->constants_from = static_cast<int>(inputs.size());
    op->weights.push_back(constant_weight);
    Tensor operands = constant_map(*constant, out);
    if (op->operation == ops::ElemWiseOperation::Sum) end_at_largest(operands);
    inputs.push_back(node.add_constant("operands", std::move(operands)));
  }
  if (inputs.size() == 1 && op->weights[0] == 1) return node.set_value(inputs[0], out);
  if (sign == Sign::Add && op->constants_from == 1 && merge_constants(node, *op, inputs, out)) return;
  if (std::all_of(op->weights.begin(), op->weights.end(), [](double weight) { return weight == 1; }))
    op->weights.clear();
  node.finish(std::move(op), std::move(inputs), std::move(out));
}

void register_elemwise(RuleRegistry& registry);
void register_elemwise(RuleRegistry& registry) {
  add_extreme(registry, "Max", Sign::Max);
  add_extreme(registry, "Min", Sign::Min);
  registry.add("Mean", {convert_mean, [](Node& node) { fold_all(node, Sign::Add, share_of(node)); }});
  registry.add("Pow", {convert_pow, fold_pow});
  registry.add("Sum", {convert_sum, [](Node& node) { fold_all(node, Sign::Add, 1); }});
}

}  // namespace n2d2::onnx
