#include "n2d2/ops/reshape.hpp"

#include <algorithm>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

#include "checks.hpp"

namespace n2d2::ops {

std::vector<Shape> Reshape::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  if (dims.size() != 3 && dims.size() != 4)
    throw ModelError(fmt::format("Dims has {} values, expected 3 or 4 (X Y Z [B])", dims.size()));
  if (std::count(dims.begin(), dims.end(), -1) > 1) throw ModelError("Dims has more than one -1");
  if (dims.size() == 4 && dims[3] > 0 && dims[3] != s.n())
    throw ModelError(fmt::format("Dims changes the batch to {}, expected 0 or -1", dims[3]));

  Shape out{s.n(), s.c(), s.h(), s.w()};
  int64_t known = 1;
  size_t inferred = 0;
  for (size_t i = 0; i < 3; ++i) {
    const size_t axis = 3 - i;
    if (dims[i] > 0) out[axis] = dims[i];
    if (dims[i] == -1)
      inferred = axis;
    else
      known *= out[axis];
  }
  const int64_t size = s.c() * s.h() * s.w();
  if (inferred != 0) out[inferred] = size / known;
  if (size != out.c() * out.h() * out.w())
    throw ModelError(fmt::format("Dims {} does not fit an input of {} (channels x height x width)",
                                 ValueText<std::vector<int>>::print(dims),
                                 Shape{s.c(), s.h(), s.w()}.text()));
  return {out};
}

void Reshape::forward(const graph::ForwardArgs& args) const {
  std::copy_n(args.in[0]->data<float>(), args.in[0]->elements(), args.out[0]->data<float>());
}

bool Reshape::backward(const graph::BackwardArgs& args) const {
  if (args.d_in[0])
    std::copy_n(args.d_out[0]->data<float>(), args.d_out[0]->elements(), args.d_in[0]->data<float>());
  return true;
}

graph::IntegerForm Reshape::integer_form(std::span<const Shape> in) const {
  graph::IntegerForm form = graph::moved_integers();
  form.by_channel = infer(in)[0].c() == in[0].c();
  return form;
}

void Reshape::integers(const graph::IntegerArgs& args) const {
  args.out[0]->values = args.in[0]->values;
}

std::vector<Clamp> Reshape::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

/// No element moves. The result is a turned map, or elements in an order that what follows may take.
void Reshape::turned(graph::TurnedNode& node) const {
  const Shape& in = node.in.at(0);
  const auto is_line = [](const Shape& shape) { return shape.h() == 1 || shape.w() == 1; };
  if (!node.orders.at(0) && (in == node.out || (is_line(in) && is_line(node.out)))) {
    node.op = reshape_to(graph::turned(node.out));
    return;
  }
  node.expect_room();
  std::vector<int64_t> index = node.index_of_input();
  if (index == graph::turned_index(node.out)) {
    node.op = reshape_to(graph::turned(node.out));
    return;
  }
  node.op = reshape_to(node.out);
  const graph::OrderPtr& before = node.orders[0];
  node.order = std::make_shared<const graph::Order>(
      graph::Order{std::move(index), before ? before->cause : node.name});
}

std::unique_ptr<Reshape> reshape_to(const Shape& shape) {
  auto out = std::make_unique<Reshape>();
  out->dims = {static_cast<int>(shape.w()), static_cast<int>(shape.h()), static_cast<int>(shape.c())};
  return out;
}

void register_reshape(graph::OperatorRegistry& registry);
void register_reshape(graph::OperatorRegistry& registry) {
  graph::register_operator<Reshape>(registry);
}

}  // namespace n2d2::ops
