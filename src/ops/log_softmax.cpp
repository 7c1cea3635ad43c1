#include "n2d2/ops/log_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/graph/turn.hpp"

#include "channel_groups.hpp"
#include "checks.hpp"

namespace n2d2::ops {

std::vector<Shape> LogSoftmax::infer(std::span<const Shape> in) const {
  return {expect_one_map(in)};
}

void LogSoftmax::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w();
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  for_groups(s, s.c(), [&](int64_t first) {
    const int64_t end = first + s.c() * pixels;
    float highest = x[first];
    for (int64_t i = first; i < end; i += pixels) highest = std::max(highest, x[i]);
    double sum = 0;
    for (int64_t i = first; i < end; i += pixels) sum += std::exp(static_cast<double>(x[i]) - highest);
    const double offset = highest + std::log(sum);
    for (int64_t i = first; i < end; i += pixels) y[i] = static_cast<float>(x[i] - offset);
  });
}

bool LogSoftmax::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w();
  const float* y = args.out[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for_groups(s, s.c(), [&](int64_t first) {
    const int64_t end = first + s.c() * pixels;
    double sum = 0;
    for (int64_t i = first; i < end; i += pixels) sum += d_y[i];
    for (int64_t i = first; i < end; i += pixels)
      d_x[i] = static_cast<float>(d_y[i] - std::exp(static_cast<double>(y[i])) * sum);
  });
  return true;
}

graph::IntegerForm LogSoftmax::integer_form(std::span<const Shape>) const {
  return graph::no_integers(
      "inside the network it has no integer form",
      "a LogSoftmax that ends the network is dropped by itself, the class order does not change");
}

std::vector<Clamp> LogSoftmax::range(std::span<const Clamp>, std::span<const Shape>) const {
  return {{-std::numeric_limits<float>::infinity(), 0}};
}

/// Functions of all channels of a position do not care for their order, nor for that of positions.
void LogSoftmax::turned(graph::TurnedNode& node) const {
  if (node.orders.at(0)) node.expect_split();
  node.keep_order();
}

void register_log_softmax(graph::OperatorRegistry& registry);
void register_log_softmax(graph::OperatorRegistry& registry) {
  graph::register_operator<LogSoftmax>(registry);
}

}  // namespace n2d2::ops
