#include "n2d2/ops/normalize.hpp"

#include <cmath>

#include "n2d2/graph/turn.hpp"

#include "channel_groups.hpp"
#include "checks.hpp"

namespace n2d2::ops {

namespace {

double length_of(const float* x, int64_t size, int64_t step) {
  double sum = Normalize::kEpsilon;
  for (int64_t i = 0; i < size; ++i) sum += static_cast<double>(x[i * step]) * x[i * step];
  return std::sqrt(sum);
}

}  // namespace

void normalize_vector(const float* x, int64_t size, int64_t step, float* y) {
  const double length = length_of(x, size, step);
  for (int64_t i = 0; i < size; ++i) y[i * step] = static_cast<float>(x[i * step] / length);
}

void normalize_backward(const float* x, const float* d_y, int64_t size, int64_t step, float* d_x) {
  const double length = length_of(x, size, step);
  double dot = 0;
  for (int64_t i = 0; i < size; ++i) dot += static_cast<double>(x[i * step]) * d_y[i * step];
  for (int64_t i = 0; i < size; ++i)
    d_x[i * step] = static_cast<float>((d_y[i * step] - x[i * step] * dot / (length * length)) / length);
}

std::vector<Shape> Normalize::infer(std::span<const Shape> in) const {
  if (norm != Norm::L2) throw ModelError("Norm L1 is known to N2D2, not supported; expected L2");
  return {expect_one_map(in)};
}

void Normalize::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  for_groups(s, s.c(), [&](int64_t first) {
    normalize_vector(args.in[0]->data<float>() + first, s.c(), s.h() * s.w(),
                     args.out[0]->data<float>() + first);
  });
}

bool Normalize::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.in[0]->shape();
  for_groups(s, s.c(), [&](int64_t first) {
    normalize_backward(args.in[0]->data<float>() + first, args.d_out[0]->data<float>() + first, s.c(),
                       s.h() * s.w(), args.d_in[0]->data<float>() + first);
  });
  return true;
}

graph::IntegerForm Normalize::integer_form(std::span<const Shape>) const {
  return graph::no_integers("a division by the length of a vector has no integer form",
                            "in front of an Fc with NoBias=1 that ends the network it changes no order of "
                            "classes: leave it out");
}

std::vector<Clamp> Normalize::range(std::span<const Clamp>, std::span<const Shape>) const {
  return {{-1, 1}};
}

/// A function of all channels of a position does not care for their order, nor for that of positions.
void Normalize::turned(graph::TurnedNode& node) const {
  if (node.orders.at(0)) node.expect_split();
  node.keep_order();
}

void register_normalize(graph::OperatorRegistry& registry);
void register_normalize(graph::OperatorRegistry& registry) {
  graph::register_operator<Normalize>(registry);
}

}  // namespace n2d2::ops
