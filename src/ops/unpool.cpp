#include "n2d2/ops/unpool.hpp"

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "window.hpp"

namespace n2d2::ops {

namespace {

Window window_of(const Unpool& op, const Shape& pooled) {
  return make_window(pooled, op.kernel, op.stride, {1, 1}, op.padding);
}

/// Calls tap(value, y, x, share) for each value of a plane and each tap that it goes back to.
template <class Tap>
void for_taps(const Unpool& op, const Window& w, const float* plane, Tap&& tap) {
  const auto share = static_cast<float>(1 / static_cast<double>(w.x.kernel * w.y.kernel));
  for (int64_t o = 0; o < w.out_pixels(); ++o) {
    int64_t best = -1;
    for (int64_t k = 0; k < w.x.kernel * w.y.kernel; ++k) {
      const int64_t y = w.y.position(o / w.x.out(), k / w.x.kernel);
      const int64_t x = w.x.position(o % w.x.out(), k % w.x.kernel);
      if (y < 0 || y >= w.y.in || x < 0 || x >= w.x.in) continue;
      const int64_t at = y * w.x.in + x;
      if (op.pooling == Pooling::Average)
        tap(o, y, x, share);
      else if (best < 0 || plane[at] > plane[best])
        best = at;
    }
    if (best >= 0) tap(o, best / w.x.in, best % w.x.in, 1.0F);
  }
}

/// Calls move(small, large, share): element indices of data and output that belong together.
template <class Move>
void for_moves(const Unpool& op, const Tensor& pooled, const Shape& out, Move&& move) {
  const Window w = window_of(op, pooled.shape());
  for (int64_t plane = 0; plane < out.n() * out.c(); ++plane)
    for_taps(op, w, pooled.data<float>() + plane * w.in_pixels(),
             [&](int64_t o, int64_t y, int64_t x, float share) {
               move(plane * w.out_pixels() + o, (plane * out.h() + y) * out.w() + x, share);
             });
}

/// Rows or columns of the output. Where the pool left some of its input unseen, a window that reaches behind
/// the output would lose a value.
int64_t extent(const Axis& axis, int64_t size, const char* name) {
  if (axis.out() != size)
    throw ModelError(
        fmt::format("the {} is {}, expected {}, that of the output of the pool", name, size, axis.out()));
  const int64_t out = (size - 1) * axis.stride + axis.kernel - axis.before - axis.after;
  if (out < 1) throw ModelError("Padding leaves nothing of the output");
  const int64_t behind = axis.position(size - 1, axis.kernel - 1) + 1;
  if (out < axis.in && behind > out)
    throw ModelError(
        fmt::format("windows end {} pixels behind a {} of {}; the pool has to see all of its input",
                    behind - out, name, out));
  return out;
}

}  // namespace

std::vector<Shape> Unpool::infer(std::span<const Shape> in) const {
  expect_inputs(in, 2, 2);
  expect_map(in, 0);
  expect_map(in, 1);
  if (in[0].n() != in[1].n() || in[0].c() != in[1].c())
    throw ModelError(fmt::format("{} channels, expected {}, those of the pool", in[0].c(), in[1].c()));
  const Window w = window_of(*this, in[1]);
  return {{in[0].n(), in[0].c(), extent(w.y, in[0].h(), "height"), extent(w.x, in[0].w(), "width")}};
}

void Unpool::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  args.out[0]->fill(0);
  for_moves(*this, *args.in[1], args.out[0]->shape(),
            [&](int64_t small, int64_t large, float share) { y[large] += share * x[small]; });
}

bool Unpool::backward(const graph::BackwardArgs& args) const {
  if (args.d_in[1]) args.d_in[1]->fill(0);
  if (!args.d_in[0]) return true;
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  args.d_in[0]->fill(0);
  for_moves(*this, *args.in[1], args.d_out[0]->shape(),
            [&](int64_t small, int64_t large, float share) { d_x[small] += share * d_y[large]; });
  return true;
}

graph::IntegerForm Unpool::integer_form(std::span<const Shape>) const {
  return graph::no_integers("values that go back to where a pool found them have no integer form",
                            "Resize with Mode=NearestNeighbor makes maps larger in integers");
}

void Unpool::turned(graph::TurnedNode& node) const {
  node.expect_map(0);
  node.expect_map(1);
  auto op = std::make_unique<Unpool>(*this);
  op->kernel = graph::turned(kernel);
  op->stride = graph::turned(stride);
  op->padding = graph::turned(padding);
  node.op = std::move(op);
}

void register_unpool(graph::OperatorRegistry& registry);
void register_unpool(graph::OperatorRegistry& registry) {
  graph::register_operator<Unpool>(registry);
}

}  // namespace n2d2::ops
