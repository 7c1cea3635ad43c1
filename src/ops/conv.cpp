#include "n2d2/ops/conv.hpp"

#include <numeric>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

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
  expect_weights(in, nb_outputs, groups, connections, kernel);
  const Window window = make_window(in[0], kernel, stride, dilation, padding);
  return {{in[0].n(), nb_outputs, window.y.out(), window.x.out()}};
}

void Conv::forward(const graph::ForwardArgs& args) const {
  const float* biases = args.in.size() == 3 ? args.in[2]->data<float>() : nullptr;
  correlate(correlation_of(*this, args.in[0]->shape()), args.in[1]->data<float>(), biases,
            args.in[0]->data<float>(), args.out[0]->data<float>());
}

bool Conv::backward(const graph::BackwardArgs& args) const {
  const Correlation c = correlation_of(*this, args.in[0]->shape());
  const auto* d_out = args.d_out[0]->data<float>();
  if (args.d_in[0]) spread(c, args.in[1]->data<float>(), nullptr, d_out, args.d_in[0]->data<float>());
  if (args.d_in[1]) weight_gradient(c, args.in[0]->data<float>(), d_out, *args.d_in[1]);
  if (args.d_in.size() == 3 && args.d_in[2]) bias_gradient(*args.d_out[0], *args.d_in[2]);
  return true;
}

graph::IntegerForm Conv::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form = graph::rescaled_values({1});
  form.weighted = true;
  form.taps = int64_t{kernel.x} * kernel.y;
  form.groups = groups;
  return form;
}

void Conv::integers(const graph::IntegerArgs& args) const {
  const int64_t* biases = args.in.size() == 3 ? args.in[2]->values.data() : nullptr;
  const std::vector<int64_t> sums = correlate(correlation_of(*this, args.in[0]->shape),
                                              args.in[1]->values.data(), biases, args.in[0]->values.data());
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
