#include "n2d2/ops/dropout.hpp"

#include <algorithm>

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

namespace {

/// y = x / (1 - p) where kept, 0 where dropped. The mask is a function of the key and the sample alone, so
/// backward draws the one forward drew.
void drop(const graph::RandomKey& key, double probability, const Tensor& x, Tensor& y) {
  const int64_t batch = x.shape().n(), size = x.elements() / batch;
  const double gain = 1 / (1 - probability);
  for (int64_t n = 0; n < batch; ++n) {
    Rng rng = key.sample(n, "dropout");
    for (int64_t i = n * size; i < (n + 1) * size; ++i)
      y.data<float>()[i] = rng.chance(probability) ? 0.0F : static_cast<float>(gain * x.data<float>()[i]);
  }
}

}  // namespace

std::vector<Shape> Dropout::infer(std::span<const Shape> in) const {
  return {expect_one_map(in)};
}

void Dropout::forward(const graph::ForwardArgs& args) const {
  if (args.training)
    drop(args.random, probability, *args.in[0], *args.out[0]);
  else
    std::copy_n(args.in[0]->data<float>(), args.in[0]->elements(), args.out[0]->data<float>());
}

bool Dropout::backward(const graph::BackwardArgs& args) const {
  if (args.d_in[0]) drop(args.random, probability, *args.d_out[0], *args.d_in[0]);
  return true;
}

graph::IntegerForm Dropout::integer_form(std::span<const Shape>) const {
  return not_removed();
}

std::vector<Clamp> Dropout::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

void Dropout::turned(graph::TurnedNode& node) const {
  node.keep_order();
}

void register_dropout(graph::OperatorRegistry& registry);
void register_dropout(graph::OperatorRegistry& registry) {
  graph::register_operator<Dropout>(registry);
}

}  // namespace n2d2::ops
