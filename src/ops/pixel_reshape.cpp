#include "n2d2/ops/pixel_reshape.hpp"

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

#include "checks.hpp"

namespace n2d2::ops {

namespace {

/// Copies the samples of `from` to `to`, whose maps have other extents; both are N,C,H,W. Elements are
/// counted in the order (y, x, channel).
template <class T>
void move_pixels(const Shape& from, const Shape& to, const T* in, T* out) {
  const int64_t size = from.c() * from.h() * from.w();
  const int64_t pixels_in = from.h() * from.w(), pixels_out = to.h() * to.w();
  for (int64_t n = 0; n < from.n(); ++n)
    for (int64_t i = 0; i < size; ++i) {
      const int64_t source = n * size + i % from.c() * pixels_in + i / from.c();
      const int64_t place = n * size + i % to.c() * pixels_out + i / to.c();
      out[place] = in[source];
    }
}

}  // namespace

std::vector<Shape> PixelReshape::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  const Shape out{s.n(), channels, height, width};
  if (s.c() * s.h() * s.w() != out.c() * out.h() * out.w())
    throw ModelError(
        fmt::format("an input of {} has another number of values than {} (channels x height x "
                    "width)",
                    Shape{s.c(), s.h(), s.w()}.text(), Shape{out.c(), out.h(), out.w()}.text()));
  return {out};
}

void PixelReshape::forward(const graph::ForwardArgs& args) const {
  move_pixels(args.in[0]->shape(), args.out[0]->shape(), args.in[0]->data<float>(),
              args.out[0]->data<float>());
}

bool PixelReshape::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  move_pixels(args.d_out[0]->shape(), args.d_in[0]->shape(), args.d_out[0]->data<float>(),
              args.d_in[0]->data<float>());
  return true;
}

graph::IntegerForm PixelReshape::integer_form(std::span<const Shape> in) const {
  graph::IntegerForm form = graph::moved_integers();
  form.by_channel = in[0].c() == channels;
  return form;
}

void PixelReshape::integers(const graph::IntegerArgs& args) const {
  move_pixels(args.in[0]->shape, args.out[0]->shape, args.in[0]->values.data(), args.out[0]->values.data());
}

std::vector<Clamp> PixelReshape::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

/// The pixels of a line keep their order.
void PixelReshape::turned(graph::TurnedNode& node) const {
  node.expect_map();
  const auto is_line = [](const Shape& shape) { return shape.h() == 1 || shape.w() == 1; };
  if (!is_line(node.in.at(0)) || !is_line(node.out))
    graph::TurnedNode::refuse("it counts through the rows of a map before its columns");
  node.op = pixel_reshape_to(graph::turned(node.out));
}

std::unique_ptr<PixelReshape> pixel_reshape_to(const Shape& shape) {
  auto out = std::make_unique<PixelReshape>();
  out->width = static_cast<int>(shape.w());
  out->height = static_cast<int>(shape.h());
  out->channels = static_cast<int>(shape.c());
  return out;
}

void register_pixel_reshape(graph::OperatorRegistry& registry);
void register_pixel_reshape(graph::OperatorRegistry& registry) {
  graph::register_operator<PixelReshape>(registry);
}

}  // namespace n2d2::ops
