#include "n2d2/ops/target_bias.hpp"

#include <algorithm>

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

std::vector<Shape> TargetBias::infer(std::span<const Shape> in) const {
  expect_inputs(in, 2, 2);
  expect_map(in, 0);
  return {in[0]};
}

void TargetBias::forward(const graph::ForwardArgs& args) const {
  const Tensor& x = *args.in[0];
  Tensor& y = *args.out[0];
  std::copy_n(x.data<float>(), x.elements(), y.data<float>());
  if (!args.training) return;
  const Shape& s = x.shape();
  const Tensor& classes = *args.in[kClassesSlot];
  const int64_t pixels = s.h() * s.w();
  for (int64_t n = 0; n < s.n(); ++n) {
    const int64_t sample = args.random.first_sample + n;
    N2D2_CHECK(sample < classes.elements(), "no class of sample {}", sample);
    const auto c = static_cast<int64_t>(classes.data<float>()[sample]);
    if (c < 0 || c >= s.c()) continue;
    float* channel = y.data<float>() + (n * s.c() + c) * pixels;
    for (int64_t p = 0; p < pixels; ++p) channel[p] += static_cast<float>(bias);
  }
}

bool TargetBias::backward(const graph::BackwardArgs& args) const {
  if (args.d_in[0])
    std::copy_n(args.d_out[0]->data<float>(), args.d_out[0]->elements(), args.d_in[0]->data<float>());
  return true;
}

graph::IntegerForm TargetBias::integer_form(std::span<const Shape>) const {
  return not_removed();
}

std::vector<Clamp> TargetBias::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

void TargetBias::turned(graph::TurnedNode& node) const {
  node.keep_order();
}

void register_target_bias(graph::OperatorRegistry& registry);
void register_target_bias(graph::OperatorRegistry& registry) {
  graph::register_operator<TargetBias>(registry);
}

}  // namespace n2d2::ops
