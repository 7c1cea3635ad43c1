#include "n2d2/ops/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/graph/turn.hpp"

#include "channel_groups.hpp"
#include "checks.hpp"

namespace n2d2::ops {

std::vector<Shape> Softmax::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  if (group_size > 0 && s.c() % group_size != 0)
    throw ModelError(fmt::format("GroupSize {} does not divide {} channels", group_size, s.c()));
  return {s};
}

void Softmax::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w(), size = group_size > 0 ? group_size : s.c();
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  std::vector<double> e(static_cast<size_t>(size));
  for_groups(s, size, [&](int64_t first) {
    float highest = x[first];
    for (int64_t k = 1; k < size; ++k) highest = std::max(highest, x[first + k * pixels]);
    double sum = 0;
    for (int64_t k = 0; k < size; ++k) {
      e[k] = std::exp(static_cast<double>(x[first + k * pixels]) - highest);
      sum += e[k];
    }
    for (int64_t k = 0; k < size; ++k) y[first + k * pixels] = static_cast<float>(e[k] / sum);
  });
}

bool Softmax::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w(), size = group_size > 0 ? group_size : s.c();
  const float* y = args.out[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for_groups(s, size, [&](int64_t first) {
    double dot = 0;
    for (int64_t i = first; i < first + size * pixels; i += pixels) dot += static_cast<double>(d_y[i]) * y[i];
    for (int64_t i = first; i < first + size * pixels; i += pixels)
      d_x[i] = static_cast<float>(y[i] * (d_y[i] - dot));
  });
  return true;
}

graph::IntegerForm Softmax::integer_form(std::span<const Shape>) const {
  return graph::no_integers(
      "inside the network it has no integer form",
      "a Softmax that ends the network is dropped by itself, the class order does not change");
}

std::vector<Clamp> Softmax::range(std::span<const Clamp>, std::span<const Shape>) const {
  return {{0, 1}};
}

/// Functions of all channels of a position do not care for their order, nor for that of positions.
void Softmax::turned(graph::TurnedNode& node) const {
  if (group_size > 0) node.expect_map();
  if (node.orders.at(0)) node.expect_split();
  node.keep_order();
}

void register_softmax(graph::OperatorRegistry& registry);
void register_softmax(graph::OperatorRegistry& registry) {
  graph::register_operator<Softmax>(registry);
}

}  // namespace n2d2::ops
