#include <algorithm>

#include "n2d2/graph/turn.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

std::vector<Shape> Saturation::infer(std::span<const Shape> in) const {
  return {expect_one_map(in)};
}

void Saturation::forward(const graph::ForwardArgs& args) const {
  const Clamp bounds = clamp();
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  for (int64_t i = 0; i < args.in[0]->elements(); ++i) y[i] = std::clamp(x[i], bounds.lo, bounds.hi);
}

bool Saturation::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Clamp bounds = clamp();
  const float* x = args.in[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for (int64_t i = 0; i < args.in[0]->elements(); ++i)
    d_x[i] = x[i] > bounds.lo && x[i] < bounds.hi ? d_y[i] : 0.0F;
  return true;
}

graph::IntegerForm Saturation::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form = graph::rescaled_values({1});
  form.clamp = clamp();
  return form;
}

/// The bounds of the rounding are those of the clamp.
void Saturation::integers(const graph::IntegerArgs& args) const {
  round_each(args);
}

std::vector<Clamp> Saturation::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {compose(in[0], clamp())};
}

void Saturation::turned(graph::TurnedNode& node) const {
  node.keep_order();
}

void register_saturation(graph::OperatorRegistry& registry);
void register_saturation(graph::OperatorRegistry& registry) {
  graph::register_operator<Saturation>(registry);
}

}  // namespace n2d2::ops
