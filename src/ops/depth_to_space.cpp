#include "n2d2/ops/depth_to_space.hpp"

#include <algorithm>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "permutation.hpp"

namespace n2d2::ops {

namespace {

/// From the deep map to the shallow one, whose axes are channel, y, block row, x, block column.
Permutation to_space(const DepthToSpace& op, const Shape& deep) {
  const auto [columns, rows] = op.block();
  const int64_t a = rows, b = columns, c = deep.c() / (a * b);
  if (op.order == BlockOrder::Dcr) return {{a, b, c, deep.h(), deep.w()}, {2, 3, 0, 4, 1}};
  return {{c, a, b, deep.h(), deep.w()}, {0, 3, 1, 4, 2}};
}

/// Calls row(place in the whole map, place in what is left of it, columns) for each row that is left.
template <class Row>
void for_rows_left(const DepthToSpace& op, const Shape& left, const Row& row) {
  const Pads& cut = op.crop;
  const int64_t w = cut.left + left.w() + cut.right, h = cut.top + left.h() + cut.bottom;
  for (int64_t plane = 0; plane < left.n() * left.c(); ++plane)
    for (int64_t y = 0; y < left.h(); ++y)
      row((plane * h + cut.top + y) * w + cut.left, (plane * left.h() + y) * left.w(), left.w());
}

/// The shallow map of a deep one.
template <class T>
void spread_blocks(const DepthToSpace& op, const Shape& deep, const Shape& out, int64_t samples,
                   const T* from, T* to) {
  if (op.crop == Pads{}) return permute(to_space(op, deep), samples, from, to);
  std::vector<T> whole(static_cast<size_t>(samples * deep.c() * deep.h() * deep.w()));
  permute(to_space(op, deep), samples, from, whole.data());
  for_rows_left(op, out, [&](int64_t place, int64_t left, int64_t n) {
    std::copy_n(whole.data() + place, n, to + left);
  });
}

}  // namespace

std::vector<Shape> DepthToSpace::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  expect_at_least("BlockSize", block_size, 1);
  expect_at_least("BlockRows", block_rows, 0);
  const int64_t b = block().x, a = block().y;
  if (to_depth) {
    if (s.h() % a != 0 || s.w() % b != 0)
      throw ModelError(fmt::format("a block of {}x{} does not divide a map of {}x{} (width x height)", b, a,
                                   s.w(), s.h()));
    if (crop != Pads{})
      throw ModelError(fmt::format("Crop {} has no meaning with ToDepth", ValueText<Pads>::print(crop)));
    return {{s.n(), s.c() * a * b, s.h() / a, s.w() / b}};
  }
  if (s.c() % (a * b) != 0)
    throw ModelError(fmt::format("{} channels are no multiple of the {} pixels of a block", s.c(), a * b));
  const int64_t h = s.h() * a - crop.top - crop.bottom, w = s.w() * b - crop.left - crop.right;
  if (h < 1 || w < 1)
    throw ModelError(fmt::format("Crop {} leaves nothing of a map of {}x{} (width x height)",
                                 ValueText<Pads>::print(crop), s.w() * b, s.h() * a));
  return {{s.n(), s.c() / (a * b), h, w}};
}

void DepthToSpace::forward(const graph::ForwardArgs& args) const {
  const Shape& deep = (to_depth ? args.out[0] : args.in[0])->shape();
  const auto* in = args.in[0]->data<float>();
  auto* out = args.out[0]->data<float>();
  if (to_depth)
    permute_back(to_space(*this, deep), deep.n(), in, out);
  else
    spread_blocks(*this, deep, args.out[0]->shape(), deep.n(), in, out);
}

bool DepthToSpace::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const auto* d_out = args.d_out[0]->data<float>();
  auto* d_in = args.d_in[0]->data<float>();
  const Shape& deep = (to_depth ? args.d_out[0]->shape() : args.d_in[0]->shape());
  if (to_depth) {
    permute(to_space(*this, deep), deep.n(), d_out, d_in);
  } else if (crop == Pads{}) {
    permute_back(to_space(*this, deep), deep.n(), d_out, d_in);
  } else {
    std::vector<float> whole(static_cast<size_t>(deep.elements()));
    for_rows_left(*this, args.d_out[0]->shape(), [&](int64_t place, int64_t left, int64_t n) {
      std::copy_n(d_out + left, n, whole.data() + place);
    });
    permute_back(to_space(*this, deep), deep.n(), whole.data(), d_in);
  }
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
    spread_blocks(*this, deep, args.out[0]->shape, 1, in, out);
}

std::vector<Clamp> DepthToSpace::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

/// Channels count through the rows of a block before its columns; exchanged, through its columns first.
void DepthToSpace::turned(graph::TurnedNode& node) const {
  node.expect_map();
  const Dims pixels = block();
  if (pixels.x > 1 && pixels.y > 1)
    graph::TurnedNode::refuse(fmt::format(
        "its channels count through the rows of a block of {}x{} pixels before its columns, which "
        "no {} does with height and width exchanged",
        pixels.x, pixels.y, to_depth ? "SpaceToDepth" : "DepthToSpace"));
  auto op = std::make_unique<DepthToSpace>(*this);
  op->block_size = pixels.y;
  op->block_rows = pixels.x == pixels.y ? 0 : pixels.x;
  op->crop = graph::turned(crop);
  node.op = std::move(op);
}

void register_depth_to_space(graph::OperatorRegistry& registry);
void register_depth_to_space(graph::OperatorRegistry& registry) {
  graph::register_operator<DepthToSpace>(registry);
}

}  // namespace n2d2::ops
