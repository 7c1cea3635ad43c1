#include "n2d2/ops/elemwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

#include "broadcast.hpp"
#include "checks.hpp"

namespace n2d2::ops {

namespace {

double coefficient(const std::vector<double>& list, CoeffMode mode, size_t input, int64_t channel,
                   double missing) {
  const size_t index = mode == CoeffMode::PerLayer   ? 0
                       : mode == CoeffMode::PerInput ? input
                                                     : static_cast<size_t>(channel);
  return index < list.size() ? list[index] : missing;
}

void expect_count(std::string_view field, size_t count, size_t most, std::string_view what) {
  if (count > most)
    throw ModelError(fmt::format("{} has {} values, expected at most {} ({})", field, count, most, what));
}

bool fit_together(const Shape& a, const Shape& b) {
  for (size_t axis = 0; axis < 4; ++axis)
    if (a[axis] != b[axis] && a[axis] != 1 && b[axis] != 1) return false;
  return true;
}

/// The largest extents on each axis; every input has them, or 1.
Shape joint_shape(std::span<const Shape> in) {
  Shape out = in[0];
  for (size_t i = 1; i < in.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      if (!fit_together(in[i], in[j]))
        throw ModelError(
            fmt::format("input {} has shape {}, input {} has {}", i, in[i].text(), j, in[j].text()));
    for (size_t axis = 0; axis < 4; ++axis) out[axis] = std::max(out[axis], in[i][axis]);
  }
  return out;
}

/// The operands of one element after the other.
class Operands {
 public:
  explicit Operands(std::span<const Tensor* const> in) : x_(in.size()), at_(in.size()) {
    for (const Tensor* tensor : in) {
      data_.push_back(tensor->data<float>());
      steps_.emplace_back(tensor->shape());
    }
  }
  /// Reads the operands of an element of the output.
  std::span<const double> read(int64_t n, int64_t c, int64_t y, int64_t x) {
    for (size_t i = 0; i < x_.size(); ++i) {
      at_[i] = steps_[i].at(n, c, y, x);
      x_[i] = data_[i][at_[i]];
    }
    return x_;
  }
  /// Where operand i of that element lies.
  size_t place(size_t i) const { return static_cast<size_t>(at_[i]); }

 private:
  std::vector<const float*> data_;
  std::vector<Steps> steps_;
  std::vector<double> x_;
  std::vector<int64_t> at_;
};

/// What a sum has that integers have not.
std::vector<graph::Reason> reasons_against(const ElemWise& sum, std::span<const Shape> in) {
  std::vector<graph::Reason> reasons;
  const int64_t channels = joint_shape(in).c();
  bool shifted = false, varies = false;
  for (size_t i = 0; i < in.size(); ++i)
    for (int64_t c = 0; c < channels; ++c) {
      shifted = shifted || sum.shift(i, c) != 0;
      varies = varies || sum.weight(i, c) != sum.weight(i, 0);
    }
  if (shifted) reasons.push_back({"Shifts other than 0 have no integer form", ""});
  if (varies)
    reasons.push_back({"Weights that differ between channels have no integer form",
                       "use CoeffMode=PerInput, or a Scaling layer in front"});
  return reasons;
}

Clamp range_of_sum(const ElemWise& sum, std::span<const Clamp> in, int64_t channels) {
  Clamp all;
  for (int64_t c = 0; c < channels; ++c) {
    Clamp total{0, 0};
    for (size_t i = 0; i < in.size(); ++i) {
      const Clamp part = times(sum.weight(i, c), in[i]);
      const auto shift = static_cast<float>(sum.shift(i, c));
      total = {total.lo + part.lo + shift, total.hi + part.hi + shift};
    }
    all = c == 0 ? total : unite(all, total);
  }
  return all;
}

/// Each value by itself is rounded to the integers of the output, then one of them is chosen.
int64_t extreme_of_rounded(std::span<const int64_t> values, const graph::Rounding& rounding, bool largest) {
  std::vector<int64_t> alone(values.size(), 0);
  int64_t chosen = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    alone[k] = values[k];
    const int64_t rounded = rounding.inputs(alone);
    alone[k] = 0;
    chosen = k == 0 ? rounded : largest ? std::max(chosen, rounded) : std::min(chosen, rounded);
  }
  return chosen;
}

/// Whether data input `slot` meets the elements of `order` at their places.
bool lies_beside(const graph::TurnedNode& node, size_t slot, const graph::Order& order) {
  const Shape& shape = node.in[slot];
  if (node.orders[slot]) return shape == node.out && node.orders[slot]->index == order.index;
  if (shape.elements() == 1) return true;
  const auto split = graph::split_of(order, node.out);
  return graph::is_pixel(shape) && split && graph::in_order(split->channels);
}

}  // namespace

double ElemWise::weight(size_t input, int64_t channel) const {
  return coefficient(weights, coeff_mode, input, channel, 1);
}

double ElemWise::shift(size_t input, int64_t channel) const {
  return coefficient(shifts, coeff_mode, input, channel, 0);
}

double ElemWise::combine(std::span<const double> x, int64_t channel) const {
  double y = operation == ElemWiseOperation::Prod ? 1 : 0;
  switch (operation) {
    case ElemWiseOperation::Sum:
      for (size_t i = 0; i < x.size(); ++i) y += weight(i, channel) * x[i] + shift(i, channel);
      return y;
    case ElemWiseOperation::AbsSum:
      for (size_t i = 0; i < x.size(); ++i) y += weight(i, channel) * std::abs(x[i]) + shift(i, channel);
      return y;
    case ElemWiseOperation::EuclideanSum:
      for (size_t i = 0; i < x.size(); ++i) {
        const double term = weight(i, channel) * x[i], shifted = shift(i, channel);
        y += term * term + shifted * shifted;
      }
      return std::sqrt(y);
    case ElemWiseOperation::Prod:
      for (const double factor : x) y *= factor;
      return y;
    case ElemWiseOperation::Max:
      return *std::max_element(x.begin(), x.end());
    case ElemWiseOperation::Min:
      return *std::min_element(x.begin(), x.end());
    case ElemWiseOperation::Div:
      break;
  }
  return x[0] / x[1];
}

double ElemWise::slope(std::span<const double> x, double y, size_t input, int64_t channel) const {
  const double w = weight(input, channel);
  switch (operation) {
    case ElemWiseOperation::Sum:
      return w;
    case ElemWiseOperation::AbsSum:
      return x[input] > 0 ? w : x[input] < 0 ? -w : 0;
    case ElemWiseOperation::EuclideanSum:
      return y > 0 ? w * w * x[input] / y : 0;
    case ElemWiseOperation::Prod: {
      double others = 1;
      for (size_t i = 0; i < x.size(); ++i) others *= i == input ? 1 : x[i];
      return others;
    }
    case ElemWiseOperation::Max:
      return std::max_element(x.begin(), x.end()) - x.begin() == static_cast<std::ptrdiff_t>(input) ? 1 : 0;
    case ElemWiseOperation::Min:
      return std::min_element(x.begin(), x.end()) - x.begin() == static_cast<std::ptrdiff_t>(input) ? 1 : 0;
    case ElemWiseOperation::Div:
      break;
  }
  return input == 0 ? 1 / x[1] : -y / x[1];
}

void ElemWise::check_coefficients(size_t inputs, int64_t channels) const {
  if (!has_coefficients()) {
    for (const auto& [field, list] : {std::pair("Weights", &weights), {"Shifts", &shifts}})
      if (!list->empty())
        throw ModelError(fmt::format("{} have no meaning with Operation={}", field, operation_name()));
    return;
  }
  const bool per_layer = coeff_mode == CoeffMode::PerLayer, per_input = coeff_mode == CoeffMode::PerInput;
  const size_t most = per_layer ? 1 : per_input ? inputs : static_cast<size_t>(channels);
  const std::string_view what = per_layer ? "one a layer" : per_input ? "one an input" : "one a channel";
  expect_count("Weights", weights.size(), most, what);
  expect_count("Shifts", shifts.size(), most, what);
}

std::vector<Shape> ElemWise::infer(std::span<const Shape> in) const {
  if (operation == ElemWiseOperation::Div)
    expect_inputs(in, 2, 2);
  else
    expect_inputs(in, 1, static_cast<size_t>(-1));
  for (size_t i = 0; i < in.size(); ++i) expect_map(in, i);
  const Shape out = joint_shape(in);
  check_coefficients(in.size(), out.c());
  return {out};
}

void ElemWise::forward(const graph::ForwardArgs& args) const {
  Operands operands(args.in);
  float* out = args.out[0]->data<float>();
  for_elements(args.out[0]->shape(), [&](int64_t i, int64_t n, int64_t c, int64_t y, int64_t x) {
    out[i] = static_cast<float>(combine(operands.read(n, c, y, x), c));
  });
}

bool ElemWise::backward(const graph::BackwardArgs& args) const {
  Operands operands(args.in);
  const float* d_y = args.d_out[0]->data<float>();
  std::vector<std::vector<double>> sums(args.in.size());
  for (size_t i = 0; i < sums.size(); ++i)
    if (args.d_in[i]) sums[i].assign(static_cast<size_t>(args.in[i]->elements()), 0.0);
  for_elements(args.d_out[0]->shape(), [&](int64_t element, int64_t n, int64_t c, int64_t y, int64_t x) {
    const std::span<const double> in = operands.read(n, c, y, x);
    const double out = combine(in, c);
    for (size_t i = 0; i < sums.size(); ++i)
      if (args.d_in[i]) sums[i][operands.place(i)] += d_y[element] * slope(in, out, i, c);
  });
  for (size_t i = 0; i < sums.size(); ++i)
    if (args.d_in[i])
      std::transform(sums[i].begin(), sums[i].end(), args.d_in[i]->data<float>(),
                     [](double sum) { return static_cast<float>(sum); });
  return true;
}

graph::IntegerForm ElemWise::integer_form(std::span<const Shape> in) const {
  if (operation != ElemWiseOperation::Sum && operation != ElemWiseOperation::Prod && !is_extreme())
    return graph::no_integers(fmt::format("Operation={} has no integer form", operation_name()),
                              "Sum, Prod, Max and Min have one");
  graph::IntegerForm form;
  form.scale = graph::ScaleOf::Own;
  form.starts = true;
  form.reads_zeros = operation != ElemWiseOperation::Sum;
  if (operation == ElemWiseOperation::Prod) {
    form.adds = graph::Addends::Product;
    form.factors = {{1}};
    return form;
  }
  form.adds = graph::Addends::Inputs;
  if (is_extreme()) {
    form.factors.assign(in.size(), {1});
    return form;
  }
  for (size_t i = 0; i < in.size(); ++i) form.factors.push_back({weight(i, 0)});
  form.why_not = reasons_against(*this, in);
  if (!form.why_not.empty()) form.scale = graph::ScaleOf::None;
  return form;
}

void ElemWise::integers(const graph::IntegerArgs& args) const {
  std::vector<Steps> steps;
  for (const graph::Integers* in : args.in) steps.emplace_back(in->shape);
  std::vector<int64_t> values(args.in.size());
  graph::Integers& out = *args.out[0];
  for_elements(out.shape, [&](int64_t i, int64_t n, int64_t c, int64_t y, int64_t x) {
    for (size_t k = 0; k < values.size(); ++k) values[k] = (*args.in[k])[steps[k].at(n, c, y, x)];
    if (operation == ElemWiseOperation::Sum) {
      out[i] = args.rounding.inputs(values);
      return;
    }
    for (size_t k = 0; k < values.size(); ++k) values[k] -= args.in[k]->zero;
    if (is_extreme()) {
      out[i] = extreme_of_rounded(values, args.rounding, operation == ElemWiseOperation::Max);
      return;
    }
    int64_t product = 1;
    for (const int64_t factor : values) product *= factor;
    out[i] = args.rounding.sum(product, c);
  });
}

std::vector<Clamp> ElemWise::range(std::span<const Clamp> in, std::span<const Shape> shapes) const {
  constexpr float kOpen = std::numeric_limits<float>::infinity();
  if (operation == ElemWiseOperation::EuclideanSum) return {{0, kOpen}};
  if (constants_from > 0) return {};
  if (operation == ElemWiseOperation::Sum) return {range_of_sum(*this, in, infer(shapes)[0].c())};
  if (!is_extreme()) return {};
  Clamp all = in[0];
  for (const Clamp& range : in)
    all = operation == ElemWiseOperation::Max ? Clamp{std::max(all.lo, range.lo), std::max(all.hi, range.hi)}
                                              : Clamp{std::min(all.lo, range.lo), std::min(all.hi, range.hi)};
  return {all};
}

void ElemWise::turned(graph::TurnedNode& node) const {
  size_t ordered = 0;
  while (ordered < node.orders.size() && !node.orders[ordered]) ++ordered;
  if (ordered < node.orders.size()) {
    node.order = node.orders[ordered];
    if (coeff_mode == CoeffMode::PerChannel) node.refuse_order(ordered);
  }
  for (size_t slot = 0; slot < node.in.size(); ++slot) {
    if (node.constants[slot])
      node.changed[slot] = node.constant_beside(slot, node.out, node.order, ordered);
    else if (node.order && !lies_beside(node, slot, *node.order))
      node.refuse_order(ordered);
  }
}

void register_elemwise(graph::OperatorRegistry& registry);
void register_elemwise(graph::OperatorRegistry& registry) {
  graph::register_operator<ElemWise>(registry);
}

}  // namespace n2d2::ops
