#include "n2d2/ops/depth_to_space.hpp"

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "permutation.hpp"

namespace n2d2::ops {

namespace {

/// From the deep map to the shallow one, whose axes are channel, y, block row, x, block column.
Permutation to_space(const DepthToSpace& op, const Shape& deep) {
  const int64_t b = op.block_size, c = deep.c() / (b * b);
  if (op.order == BlockOrder::Dcr) return {{b, b, c, deep.h(), deep.w()}, {2, 3, 0, 4, 1}};
  return {{c, b, b, deep.h(), deep.w()}, {0, 3, 1, 4, 2}};
}

}  // namespace

std::vector<Shape> DepthToSpace::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  expect_at_least("BlockSize", block_size, 1);
  const int64_t b = block_size;
  if (to_depth) {
    if (s.h() % b != 0 || s.w() % b != 0)
      throw ModelError(
          fmt::format("BlockSize {} does not divide a map of {}x{} (width x height)", b, s.w(), s.h()));
    return {{s.n(), s.c() * b * b, s.h() / b, s.w() / b}};
  }
  if (s.c() % (b * b) != 0)
    throw ModelError(fmt::format("{} channels are no multiple of BlockSize x BlockSize = {}", s.c(), b * b));
  return {{s.n(), s.c() / (b * b), s.h() * b, s.w() * b}};
}

void DepthToSpace::forward(const graph::ForwardArgs& args) const {
  const Shape& deep = (to_depth ? args.out[0] : args.in[0])->shape();
  const auto* in = args.in[0]->data<float>();
  auto* out = args.out[0]->data<float>();
  if (to_depth)
    permute_back(to_space(*this, deep), deep.n(), in, out);
  else
    permute(to_space(*this, deep), deep.n(), in, out);
}

bool DepthToSpace::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const auto* d_out = args.d_out[0]->data<float>();
  auto* d_in = args.d_in[0]->data<float>();
  const Shape& deep = (to_depth ? args.d_out[0]->shape() : args.d_in[0]->shape());
  if (to_depth)
    permute(to_space(*this, deep), deep.n(), d_out, d_in);
  else
    permute_back(to_space(*this, deep), deep.n(), d_out, d_in);
  return true;
}

graph::IntegerForm DepthToSpace::integer_form(std::span<const Shape>) const {
  return graph::moved_integers();
}

void DepthToSpace::integers(const graph::IntegerArgs& args) const {
  const Shape& deep = (to_depth ? args.out[0] : args.in[0])->shape;
  const int64_t* in = args.in[0]->values.data();
  int64_t* out = args.out[0]->values.data();
  if (to_depth)
    permute_back(to_space(*this, deep), 1, in, out);
  else
    permute(to_space(*this, deep), 1, in, out);
}

std::vector<Clamp> DepthToSpace::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

/// Channels count through the rows of a block before its columns; exchanged, through its columns first.
void DepthToSpace::turned(graph::TurnedNode& node) const {
  node.expect_map();
  if (block_size > 1)
    graph::TurnedNode::refuse(fmt::format(
        "its channels count through the rows of a block of {0}x{0} pixels before its columns, which "
        "no {1} does with height and width exchanged",
        block_size, to_depth ? "SpaceToDepth" : "DepthToSpace"));
}

void register_depth_to_space(graph::OperatorRegistry& registry);
void register_depth_to_space(graph::OperatorRegistry& registry) {
  graph::register_operator<DepthToSpace>(registry);
}

}  // namespace n2d2::ops
