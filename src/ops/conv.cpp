#include "n2d2/ops/conv.hpp"

#include <numeric>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "correlation.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

namespace {

/// The window slides over the input.
Correlation correlation_of(const Conv& op, const Shape& in) {
  return {make_window(in, op.kernel, op.stride, op.dilation, op.padding),
          in.n(),
          in.c(),
          op.nb_outputs,
          op.groups,
          op.connections,
          OutputMap::Small};
}

Kinds kinds_of(const Axis& axis) {
  Kinds out{axis.out()};
  while (out.leading < out.size && !axis.is_inside(out.leading)) ++out.leading;
  while (out.between() > 0 && !axis.is_inside(out.size - out.trailing - 1)) ++out.trailing;
  return out;
}

/// The first output of each kind.
std::vector<int64_t> first_of(const Kinds& kinds) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < kinds.size; ++i)
    if (kinds.of(i) == static_cast<int64_t>(out.size())) out.push_back(i);
  return out;
}

/// Whether kinds of pixels have biases of their own.
bool has_bias_rows(std::span<const Shape> in) {
  return in.size() == 3 && in[2].rank() == 2;
}

void add_bias_rows(const Conv& op, std::span<const Shape> in, Correlation& c) {
  if (!has_bias_rows(in)) return;
  const Borders borders = op.borders(in[0]);
  for (int64_t y = 0; y < borders.y.size; ++y)
    for (int64_t x = 0; x < borders.x.size; ++x) c.bias_rows.push_back(borders.of(y, x));
}

/// The sum of the weights of each output.
std::vector<int64_t> sums_of_rows(std::span<const int64_t> weights, int outputs) {
  std::vector<int64_t> sums(static_cast<size_t>(outputs));
  const size_t row = weights.size() / sums.size();
  for (size_t i = 0; i < weights.size(); ++i) sums[i / row] += weights[i];
  return sums;
}

/// IntegerForm::inside_sums.
std::vector<std::vector<int64_t>> inside_sums(const Conv& op, const Shape& in, const Tensor& weights) {
  if (op.pads_with_zero_point(in)) return {sums_of_rows(widened(weights), op.nb_outputs)};
  const Window window = make_window(in, op.kernel, op.stride, op.dilation, op.padding);
  const Borders borders = op.borders(in);
  const std::vector<int64_t> values = widened(weights);
  const int64_t taps = window.x.kernel * window.y.kernel, row = weights.elements() / op.nb_outputs;
  std::vector<std::vector<int64_t>> out;
  for (const int64_t y : first_of(borders.y))
    for (const int64_t x : first_of(borders.x)) {
      out.emplace_back(static_cast<size_t>(op.nb_outputs), 0);
      for (size_t i = 0; i < values.size(); ++i) {
        const auto tap = static_cast<int64_t>(i) % taps;
        if (window.y.sees(y, tap / window.x.kernel) && window.x.sees(x, tap % window.x.kernel))
          out.back()[i / static_cast<size_t>(row)] += values[i];
      }
    }
  return out;
}

/// A 1x1 Conv of every position takes channels and positions in any order.
bool turn_pointwise(const Conv& op, graph::TurnedNode& node) {
  const Dims one{1, 1};
  if (!node.orders.at(0) || op.kernel != one || op.stride != one || op.padding != Pads{}) return false;
  graph::Split split = node.expect_split();
  if (!graph::in_order(split.channels)) {
    if (op.groups != 1 || !op.connections.empty()) node.refuse_order(0);
    node.changed[1] = graph::with_columns(node.constant(1), 1, split.channels);
  }
  node.expect_room();
  split.channels.resize(static_cast<size_t>(node.out.c()));
  std::iota(split.channels.begin(), split.channels.end(), 0);
  node.set_order(graph::joined(split), node.orders[0]->cause);
  return true;
}

}  // namespace

std::string_view Conv::input_role(size_t slot) const {
  return slot == 1 ? "weights" : slot == 2 ? "biases" : "";
}

std::vector<Shape> Conv::infer(std::span<const Shape> in) const {
  const bool has_rows = has_bias_rows(in);
  expect_weights(has_rows ? in.first(2) : in, nb_outputs, groups, connections, kernel);
  const Window window = make_window(in[0], kernel, stride, dilation, padding);
  if (has_rows) expect_parameter(in, 2, "biases", {borders(in[0]).count(), nb_outputs});
  return {{in[0].n(), nb_outputs, window.y.out(), window.x.out()}};
}

bool Conv::pads_with_zero_point(const Shape& in) const {
  if (!is_depthwise(in.c())) return false;
  const Borders kinds = borders(in);
  return kinds.y.leading + kinds.y.trailing + kinds.x.leading + kinds.x.trailing > 0;
}

Borders Conv::borders(const Shape& in) const {
  const Window window = make_window(in, kernel, stride, dilation, padding);
  return {kinds_of(window.y), kinds_of(window.x)};
}

void Conv::forward(const graph::ForwardArgs& args) const {
  const float* biases = args.in.size() == 3 ? args.in[2]->data<float>() : nullptr;
  Correlation correlation = correlation_of(*this, args.in[0]->shape());
  std::vector<Shape> shapes;
  for (const Tensor* input : args.in) shapes.push_back(input->shape());
  add_bias_rows(*this, shapes, correlation);
  correlate(correlation, args.in[1]->data<float>(), biases, args.in[0]->data<float>(),
            args.out[0]->data<float>());
}

bool Conv::backward(const graph::BackwardArgs& args) const {
  const Correlation c = correlation_of(*this, args.in[0]->shape());
  const auto* d_out = args.d_out[0]->data<float>();
  if (args.d_in[0]) spread(c, args.in[1]->data<float>(), nullptr, d_out, args.d_in[0]->data<float>());
  if (args.d_in[1]) weight_gradient(c, args.in[0]->data<float>(), d_out, *args.d_in[1]);
  if (args.d_in.size() == 3 && args.d_in[2]) bias_gradient(*args.d_out[0], *args.d_in[2]);
  return true;
}

graph::IntegerForm Conv::integer_form(std::span<const Shape> in) const {
  graph::IntegerForm form = graph::rescaled_values({1});
  form.weighted = true;
  form.taps = int64_t{kernel.x} * kernel.y;
  form.groups = groups;
  form.reads_zeros = pads_with_zero_point(in[0]);
  // Weights of pairs that are not connected count nowhere.
  if (connections.empty())
    form.inside_sums = [op = *this, map = in[0]](const Tensor& weights) {
      return inside_sums(op, map, weights);
    };
  return form;
}

void Conv::integers(const graph::IntegerArgs& args) const {
  const int64_t* biases = args.in.size() == 3 ? args.in[2]->values.data() : nullptr;
  Correlation correlation = correlation_of(*this, args.in[0]->shape);
  std::vector<Shape> shapes;
  for (const graph::Integers* input : args.in) shapes.push_back(input->shape);
  add_bias_rows(*this, shapes, correlation);
  const bool counts = pads_with_zero_point(args.in[0]->shape) && !has_bias_rows(shapes);
  if (args.in[0]->zero == 0 || !counts) {
    round_channels(args,
                   correlate(correlation, args.in[1]->values.data(), biases, args.in[0]->values.data()));
    return;
  }
  // Counted from what stands for 0, taps outside the input are 0.
  std::vector<int64_t> counted = args.in[0]->values;
  for (int64_t& value : counted) value -= args.in[0]->zero;
  std::vector<int64_t> sums = correlate(correlation, args.in[1]->values.data(), biases, counted.data());
  const std::vector<int64_t> weights = sums_of_rows(args.in[1]->values, nb_outputs);
  const size_t pixels = sums.size() / weights.size();
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += args.in[0]->zero * weights[i / pixels];
  round_channels(args, sums);
}

void Conv::turned(graph::TurnedNode& node) const {
  if (turn_pointwise(*this, node)) return;
  node.expect_map();
  auto op = std::make_unique<Conv>(*this);
  op->kernel = graph::turned(kernel);
  op->stride = graph::turned(stride);
  op->padding = graph::turned(padding);
  op->dilation = graph::turned(dilation);
  node.op = std::move(op);
  node.changed[1] = graph::turned(node.constant(1));
}

void register_conv(graph::OperatorRegistry& registry);
void register_conv(graph::OperatorRegistry& registry) {
  graph::register_operator<Conv>(registry);
}

}  // namespace n2d2::ops
