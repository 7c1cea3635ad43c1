#include "n2d2/ops/concat.hpp"

#include <algorithm>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

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

graph::IntegerForm Concat::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form;
  form.scale = graph::ScaleOf::Shared;
  return form;
}

void Concat::integers(const graph::IntegerArgs& args) const {
  auto to = args.out[0]->values.begin();
  for (const graph::Integers* in : args.in) to = std::copy(in->values.begin(), in->values.end(), to);
}

std::vector<Clamp> Concat::range(std::span<const Clamp> in, std::span<const Shape>) const {
  Clamp all = in[0];
  for (const Clamp& range : in) all = unite(all, range);
  return {all};
}

/// Channels one after the other are elements one after the other.
void Concat::turned(graph::TurnedNode& node) const {
  const auto ordered = std::find_if(node.orders.begin(), node.orders.end(),
                                    [](const graph::OrderPtr& order) { return order != nullptr; });
  if (ordered == node.orders.end()) return;
  const auto first = static_cast<size_t>(ordered - node.orders.begin());
  node.expect_room();
  std::vector<int64_t> index;
  for (size_t slot = 0; slot < node.in.size(); ++slot) {
    if (!node.orders[slot] && !graph::is_pixel(node.in[slot])) node.refuse_order(first);
    const auto offset = static_cast<int64_t>(index.size());
    const std::vector<int64_t> own =
        node.orders[slot] ? node.orders[slot]->index : graph::turned_index(node.in[slot]);
    for (const int64_t i : own) index.push_back(offset + i);
  }
  node.set_order(std::move(index), node.orders[first]->cause);
}

void register_concat(graph::OperatorRegistry& registry);
void register_concat(graph::OperatorRegistry& registry) {
  graph::register_operator<Concat>(registry);
}

}  // namespace n2d2::ops
