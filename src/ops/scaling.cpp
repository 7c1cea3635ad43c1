#include "n2d2/ops/scaling.hpp"

#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

namespace {

void scale(const std::vector<double>& factor, const Tensor& x, Tensor& y) {
  const Shape& s = x.shape();
  const int64_t pixels = s.h() * s.w();
  for (int64_t plane = 0; plane < s.n() * s.c(); ++plane) {
    const double f = factor.size() == 1 ? factor[0] : factor[static_cast<size_t>(plane % s.c())];
    for (int64_t p = plane * pixels; p < (plane + 1) * pixels; ++p)
      y.data<float>()[p] = static_cast<float>(f * x.data<float>()[p]);
  }
}

}  // namespace

std::vector<Shape> Scaling::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  if (factor.size() != 1 && static_cast<int64_t>(factor.size()) != s.c())
    throw ModelError(
        fmt::format("Factor has {} values, expected 1 or {} (one a channel)", factor.size(), s.c()));
  return {s};
}

void Scaling::forward(const graph::ForwardArgs& args) const {
  scale(factor, *args.in[0], *args.out[0]);
}

bool Scaling::backward(const graph::BackwardArgs& args) const {
  if (args.d_in[0]) scale(factor, *args.d_out[0], *args.d_in[0]);
  return true;
}

graph::IntegerForm Scaling::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form = graph::rescaled_values(factor);
  form.by_channel = true;
  return form;
}

void Scaling::integers(const graph::IntegerArgs& args) const {
  round_each(args);
}

std::vector<Clamp> Scaling::range(std::span<const Clamp> in, std::span<const Shape>) const {
  Clamp all = times(factor.front(), in[0]);
  for (const double f : factor) all = unite(all, times(f, in[0]));
  return {all};
}

void Scaling::turned(graph::TurnedNode& node) const {
  if (factor.size() == 1) return node.keep_order();
  const auto channels = node.keep_channels();
  if (!channels) return;
  auto op = std::make_unique<Scaling>();
  op->factor = graph::picked(factor, *channels);
  node.op = std::move(op);
}

void register_scaling(graph::OperatorRegistry& registry);
void register_scaling(graph::OperatorRegistry& registry) {
  graph::register_operator<Scaling>(registry);
}

}  // namespace n2d2::ops
