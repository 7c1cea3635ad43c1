#include "n2d2/ops/matmul.hpp"

#include <cmath>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

#include "checks.hpp"

namespace n2d2::ops {

namespace {

/// Calls use(place in y, first in a, step in a, first in b, step in b) for each value of the output in order.
template <class Use>
void for_products(const MatMul& op, const Shape& a, const Shape& b, const Shape& y, Use use) {
  const int64_t pixels = a.h() * a.w(), others = b.h() * b.w(), columns = y.c() / op.groups;
  const int64_t depth = op.depth(a), width = b.c() / op.groups;
  int64_t place = 0;
  for (int64_t n = 0; n < y.n(); ++n)
    for (int64_t c = 0; c < y.c(); ++c)
      for (int64_t p = 0; p < pixels; ++p, ++place) {
        const int64_t g = c / columns, column = c % columns;
        const int64_t in_a = (n * a.c() + g * depth) * pixels + p, of_b = (n * b.c() + g * width) * others;
        if (op.transposed)
          use(place, in_a, pixels, of_b + column, others);
        else
          use(place, in_a, pixels, of_b + column * others, int64_t{1});
      }
}

}  // namespace

std::vector<Shape> MatMul::infer(std::span<const Shape> in) const {
  expect_inputs(in, 2, 2);
  for (const size_t slot : {0, 1}) {
    expect_map(in, slot);
    if (in[slot].c() % groups != 0)
      throw ModelError(
          fmt::format("{} groups do not divide the {} channels of input {}", groups, in[slot].c(), slot));
  }
  const Shape &a = in[0], &b = in[1];
  if (a.n() != b.n())
    throw ModelError(fmt::format("input 0 has shape {}, input 1 has {}", a.text(), b.text()));
  const int64_t rows = transposed ? b.c() / groups : b.h() * b.w();
  if (depth(a) != rows)
    throw ModelError(fmt::format("input 0 of {} has {} columns, input 1 of {} has {} rows", a.text(),
                                 depth(a), b.text(), rows));
  return {Shape{a.n(), transposed ? groups * b.h() * b.w() : b.c(), a.h(), a.w()}};
}

void MatMul::forward(const graph::ForwardArgs& args) const {
  const Tensor &a = *args.in[0], &b = *args.in[1];
  float* y = args.out[0]->data<float>();
  const int64_t depth = this->depth(a.shape());
  for_products(*this, a.shape(), b.shape(), args.out[0]->shape(),
               [&](int64_t place, int64_t from_a, int64_t step_a, int64_t from_b, int64_t step_b) {
                 double sum = 0;
                 for (int64_t k = 0; k < depth; ++k)
                   sum += static_cast<double>(a.data<float>()[from_a + k * step_a]) *
                          static_cast<double>(b.data<float>()[from_b + k * step_b]);
                 y[place] = static_cast<float>(factor * sum);
               });
}

graph::IntegerForm MatMul::integer_form(std::span<const Shape> in) const {
  graph::IntegerForm form;
  form.scale = graph::ScaleOf::Own;
  form.adds = graph::Addends::Product;
  form.factors = {{factor}};
  form.taps = depth(in[0]);
  form.starts = form.reads_zeros = true;
  return form;
}

void MatMul::integers(const graph::IntegerArgs& args) const {
  const graph::Integers &a = *args.in[0], &b = *args.in[1];
  graph::Integers& out = *args.out[0];
  const int64_t depth = this->depth(a.shape), pixels = out.shape.h() * out.shape.w();
  for_products(*this, a.shape, b.shape, out.shape,
               [&](int64_t place, int64_t from_a, int64_t step_a, int64_t from_b, int64_t step_b) {
                 int64_t sum = 0;
                 for (int64_t k = 0; k < depth; ++k)
                   sum += (a[from_a + k * step_a] - a.zero) * (b[from_b + k * step_b] - b.zero);
                 out[place] = args.rounding.sum(sum, place / pixels);
               });
}

/// Positions of the second map are channels of the first or of the output: they keep their order in a line.
void MatMul::turned(graph::TurnedNode& node) const {
  for (const size_t slot : {0, 1}) node.expect_map(slot);
  const Shape& b = node.in.at(1);
  if (b.h() != 1 && b.w() != 1)
    graph::TurnedNode::refuse("it counts through the rows of a map before its columns");
}

void register_matmul(graph::OperatorRegistry& registry);
void register_matmul(graph::OperatorRegistry& registry) {
  graph::register_operator<MatMul>(registry);
}

}  // namespace n2d2::ops
