#include "n2d2/ops/concat.hpp"

#include <algorithm>

#include "checks.hpp"

namespace n2d2::ops {

std::vector<Shape> Concat::infer(std::span<const Shape> in) const {
  expect_inputs(in, 1, static_cast<size_t>(-1));
  int64_t channels = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    expect_map(in, i);
    if (in[i].n() != in[0].n() || in[i].h() != in[0].h() || in[i].w() != in[0].w())
      throw ModelError(fmt::format("input {} has height x width {}x{}, input 0 has {}x{}", i, in[i].h(),
                                   in[i].w(), in[0].h(), in[0].w()));
    channels += in[i].c();
  }
  return {{in[0].n(), channels, in[0].h(), in[0].w()}};
}

void Concat::forward(const graph::ForwardArgs& args) const {
  float* y = args.out[0]->data<float>();
  for (int64_t n = 0; n < args.out[0]->shape().n(); ++n)
    for (const Tensor* in : args.in) {
      const int64_t size = in->elements() / in->shape().n();
      y = std::copy_n(in->data<float>() + n * size, size, y);
    }
}

bool Concat::backward(const graph::BackwardArgs& args) const {
  const float* d_y = args.d_out[0]->data<float>();
  for (int64_t n = 0; n < args.d_out[0]->shape().n(); ++n)
    for (size_t i = 0; i < args.in.size(); ++i) {
      const int64_t size = args.in[i]->elements() / args.in[i]->shape().n();
      if (args.d_in[i]) std::copy_n(d_y, size, args.d_in[i]->data<float>() + n * size);
      d_y += size;
    }
  return true;
}

void register_concat(graph::OperatorRegistry& registry);
void register_concat(graph::OperatorRegistry& registry) {
  graph::register_operator<Concat>(registry);
}

}  // namespace n2d2::ops
