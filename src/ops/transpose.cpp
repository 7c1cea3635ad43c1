#include "n2d2/ops/transpose.hpp"

#include <algorithm>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/ops/reshape.hpp"

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

/// out = in[q] with q(j) the place in the input of element j of the output.
std::vector<int64_t> places(const std::array<size_t, 3>& order, const Shape& in) {
  const std::array<int64_t, 4> strides{0, in.h() * in.w(), in.w(), 1};
  std::vector<int64_t> out;
  for (int64_t a = 0; a < in[order[0]]; ++a)
    for (int64_t b = 0; b < in[order[1]]; ++b)
      for (int64_t c = 0; c < in[order[2]]; ++c)
        out.push_back(a * strides[order[0]] + b * strides[order[1]] + c * strides[order[2]]);
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

graph::IntegerForm Transpose::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form = graph::moved_integers();
  form.by_channel = order()[0] == 1;
  return form;
}

void Transpose::integers(const graph::IntegerArgs& args) const {
  permute(permutation_of(*this, args.in[0]->shape), 1, args.in[0]->values.data(), args.out[0]->values.data());
}

std::vector<Clamp> Transpose::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

void Transpose::turned(graph::TurnedNode& node) const {
  const std::array<size_t, 3> axes = order();
  if (!node.orders.at(0)) {
    constexpr std::array<size_t, 4> kSide{0, 1, 3, 2};
    const Transpose other = transpose_of({kSide[axes[0]], kSide[axes[2]], kSide[axes[1]]});
    if (other.moves(graph::turned(node.in[0])))
      node.op = other.clone();
    else
      node.op = reshape_to(graph::turned(node.out));
    return;
  }
  // The input has the order p. The output of the same Transpose then has the order q^-1 p q:
  // index[j] = q^-1[p[q[j]]].
  const std::vector<int64_t> q = places(axes, node.in[0]), &p = node.orders[0]->index;
  std::vector<int64_t> back(q.size()), index(q.size());
  for (size_t j = 0; j < q.size(); ++j) back[static_cast<size_t>(q[j])] = static_cast<int64_t>(j);
  for (size_t j = 0; j < q.size(); ++j) index[j] = back[static_cast<size_t>(p[static_cast<size_t>(q[j])])];
  node.set_order(std::move(index), node.orders[0]->cause);
}

void register_transpose(graph::OperatorRegistry& registry);
void register_transpose(graph::OperatorRegistry& registry) {
  graph::register_operator<Transpose>(registry);
}

}  // namespace n2d2::ops
