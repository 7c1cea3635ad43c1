#include "n2d2/ops/transpose.hpp"

#include <algorithm>

#include "checks.hpp"
#include "permutation.hpp"

namespace n2d2::ops {

namespace {

void expect_order(const std::vector<int>& perm) {
  std::vector<int> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  const std::vector<int> all{0, 1, 2, 3};
  const bool fits = (perm.size() == 3 || (perm.size() == 4 && perm[3] == 3)) &&
                    std::equal(sorted.begin(), sorted.end(), all.begin());
  if (!fits)
    throw ModelError(
        fmt::format("Perm is '{}', expected an order of 0 1 2, with 3 (the batch) last or left out",
                    ValueText<std::vector<int>>::print(perm)));
}

Permutation permutation_of(const Transpose& op, const Shape& in) {
  Permutation out{{in.c(), in.h(), in.w()}, {}};
  for (const size_t axis : op.order()) out.order.push_back(axis - 1);
  return out;
}

}  // namespace

std::array<size_t, 3> Transpose::order() const {
  expect_order(perm);
  const auto axis = [&](size_t i) { return static_cast<size_t>(3 - perm[i]); };
  return {axis(2), axis(1), axis(0)};
}

Transpose transpose_of(const std::array<size_t, 3>& order) {
  Transpose out;
  for (size_t i = 3; i-- > 0;) out.perm.push_back(static_cast<int>(3 - order[i]));
  return out;
}

Transpose Transpose::after(const Transpose& first) const {
  const std::array<size_t, 3> inner = first.order();
  std::array<size_t, 3> both = order();
  for (size_t& axis : both) axis = inner[axis - 1];
  return transpose_of(both);
}

bool Transpose::moves(const Shape& in) const {
  size_t last = 0;
  for (const size_t axis : order()) {
    if (in[axis] == 1) continue;
    if (axis < last) return true;
    last = axis;
  }
  return false;
}

std::vector<Shape> Transpose::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  const auto [c, h, w] = order();
  return {{s.n(), s[c], s[h], s[w]}};
}

void Transpose::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  permute(permutation_of(*this, s), s.n(), args.in[0]->data<float>(), args.out[0]->data<float>());
}

bool Transpose::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.d_in[0]->shape();
  permute_back(permutation_of(*this, s), s.n(), args.d_out[0]->data<float>(), args.d_in[0]->data<float>());
  return true;
}

void register_transpose(graph::OperatorRegistry& registry);
void register_transpose(graph::OperatorRegistry& registry) {
  graph::register_operator<Transpose>(registry);
}

}  // namespace n2d2::ops
