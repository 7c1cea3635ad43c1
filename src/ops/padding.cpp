#include "n2d2/ops/padding.hpp"

#include <algorithm>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"

namespace n2d2::ops {

namespace {

/// Calls row(small, large, count) for each row of the part that input and output share: indices of its first
/// pixel in the input and in the output.
template <class Row>
void for_shared_rows(const Padding& op, const Shape& in, const Shape& out, Row&& row) {
  const int64_t x0 = std::max(0, -op.left), x1 = std::min(in.w(), out.w() - op.left);
  const int64_t y0 = std::max(0, -op.top), y1 = std::min(in.h(), out.h() - op.top);
  if (x0 >= x1) return;
  for (int64_t plane = 0; plane < in.n() * in.c(); ++plane)
    for (int64_t y = y0; y < y1; ++y)
      row((plane * in.h() + y) * in.w() + x0, (plane * out.h() + y + op.top) * out.w() + x0 + op.left,
          x1 - x0);
}

}  // namespace

std::vector<Shape> Padding::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  const Shape out{s.n(), s.c(), s.h() + top + bottom, s.w() + left + right};
  if (out.h() < 1 || out.w() < 1)
    throw ModelError(fmt::format("padding leaves nothing: {}x{} (height x width) becomes {}x{}", s.h(), s.w(),
                                 out.h(), out.w()));
  return {out};
}

void Padding::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  args.out[0]->fill(0);
  for_shared_rows(*this, args.in[0]->shape(), args.out[0]->shape(),
                  [&](int64_t from, int64_t to, int64_t count) { std::copy_n(x + from, count, y + to); });
}

bool Padding::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  args.d_in[0]->fill(0);
  for_shared_rows(*this, args.in[0]->shape(), args.d_out[0]->shape(),
                  [&](int64_t to, int64_t from, int64_t count) { std::copy_n(d_y + from, count, d_x + to); });
  return true;
}

graph::IntegerForm Padding::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form = graph::moved_integers();
  form.adds_zeros = std::max({top, bottom, left, right}) > 0;
  form.by_channel = true;
  return form;
}

void Padding::integers(const graph::IntegerArgs& args) const {
  const int64_t* x = args.in[0]->values.data();
  int64_t* y = args.out[0]->values.data();
  for_shared_rows(*this, args.in[0]->shape, args.out[0]->shape,
                  [&](int64_t from, int64_t to, int64_t count) { std::copy_n(x + from, count, y + to); });
}

std::vector<Clamp> Padding::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {unite(in[0], {0, 0})};
}

void Padding::turned(graph::TurnedNode& node) const {
  node.expect_map();
  auto op = std::make_unique<Padding>(*this);
  std::swap(op->left, op->top);
  std::swap(op->right, op->bottom);
  node.op = std::move(op);
}

void register_padding(graph::OperatorRegistry& registry);
void register_padding(graph::OperatorRegistry& registry) {
  graph::register_operator<Padding>(registry);
}

}  // namespace n2d2::ops
