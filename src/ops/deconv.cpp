#include "n2d2/ops/deconv.hpp"

#include <algorithm>

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "correlation.hpp"

namespace n2d2::ops {

namespace {

/// The axis of the output over which the window would slide to give `small` positions.
Axis axis_of(int64_t small, int kernel, int stride, int dilation, int before, int after, int more) {
  Axis axis{1, kernel, stride, dilation, before, int64_t{after} - more};
  axis.in = stride * (small - 1) + axis.extent() - axis.before - axis.after;
  return axis;
}

Window window_of(const Deconv& op, const Shape& in) {
  return {axis_of(in.w(), op.kernel.x, op.stride.x, op.dilation.x, op.padding.left, op.padding.right,
                  op.output_padding.x),
          axis_of(in.h(), op.kernel.y, op.stride.y, op.dilation.y, op.padding.top, op.padding.bottom,
                  op.output_padding.y)};
}

/// The window slides over the output.
Correlation correlation_of(const Deconv& op, const Shape& in) {
  return {window_of(op, in), in.n(), in.c(), op.nb_outputs, op.groups, op.connections, OutputMap::Large};
}

}  // namespace

std::string_view Deconv::input_role(size_t slot) const {
  return slot == 1 ? "weights" : slot == 2 ? "biases" : "";
}

std::vector<Shape> Deconv::infer(std::span<const Shape> in) const {
  expect_weights(in, nb_outputs, groups, connections, kernel);
  expect_steps(kernel, stride, dilation, padding);
  expect_at_least("OutputPadding", std::min(output_padding.x, output_padding.y), 0);
  const Window window = window_of(*this, in[0]);
  if (window.x.in < 1 || window.y.in < 1)
    throw ModelError(fmt::format("Padding {} leaves nothing of the output", ValueText<Pads>::print(padding)));
  return {{in[0].n(), nb_outputs, window.y.in, window.x.in}};
}

void Deconv::forward(const graph::ForwardArgs& args) const {
  const float* biases = args.in.size() == 3 ? args.in[2]->data<float>() : nullptr;
  spread(correlation_of(*this, args.in[0]->shape()), args.in[1]->data<float>(), biases,
         args.in[0]->data<float>(), args.out[0]->data<float>());
}

bool Deconv::backward(const graph::BackwardArgs& args) const {
  const Correlation c = correlation_of(*this, args.in[0]->shape());
  const auto* d_out = args.d_out[0]->data<float>();
  if (args.d_in[0]) correlate(c, args.in[1]->data<float>(), nullptr, d_out, args.d_in[0]->data<float>());
  if (args.d_in[1]) weight_gradient(c, d_out, args.in[0]->data<float>(), *args.d_in[1]);
  if (args.d_in.size() == 3 && args.d_in[2]) bias_gradient(*args.d_out[0], *args.d_in[2]);
  return true;
}

void Deconv::turned(graph::TurnedNode& node) const {
  node.expect_map();
  auto op = std::make_unique<Deconv>(*this);
  op->kernel = graph::turned(kernel);
  op->stride = graph::turned(stride);
  op->padding = graph::turned(padding);
  op->dilation = graph::turned(dilation);
  op->output_padding = graph::turned(output_padding);
  node.op = std::move(op);
  node.changed[1] = graph::turned(node.constant(1));
}

void register_deconv(graph::OperatorRegistry& registry);
void register_deconv(graph::OperatorRegistry& registry) {
  graph::register_operator<Deconv>(registry);
}

}  // namespace n2d2::ops
