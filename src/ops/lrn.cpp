#include "n2d2/ops/lrn.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "curve.hpp"
#include "table.hpp"

namespace n2d2::ops {

namespace {

/// Channels of one position, `step` elements apart.
struct Column {
  const float* x;
  int64_t channels, step;
  double at(int64_t c) const { return x[c * step]; }
};

/// K + Alpha s_c for each channel.
void norms(const Lrn& op, const Column& column, std::vector<double>& out) {
  for (int64_t c = 0; c < column.channels; ++c) {
    const int64_t last = std::min<int64_t>(column.channels - 1, c + op.n / 2);
    double sum = 0;
    for (int64_t j = std::max<int64_t>(0, c - (op.n - 1) / 2); j <= last; ++j)
      sum += column.at(j) * column.at(j);
    out[static_cast<size_t>(c)] = op.k + op.alpha * sum;
  }
}

/// Calls body(first) with the index of each position's first channel.
template <class Body>
void for_positions(const Shape& shape, Body&& body) {
  const int64_t pixels = shape.h() * shape.w();
  for (int64_t n = 0; n < shape.n(); ++n)
    for (int64_t p = 0; p < pixels; ++p) body(n * shape.c() * pixels + p);
}

}  // namespace

std::vector<Shape> Lrn::infer(std::span<const Shape> in) const {
  expect_at_least("N", n, 1);
  return {expect_one_map(has_table(in) ? in.first(1) : in)};
}

void Lrn::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const int64_t step = s.h() * s.w();
  std::vector<double> norm(static_cast<size_t>(s.c()));
  for_positions(s, [&](int64_t first) {
    const float* x = args.in[0]->data<float>() + first;
    float* y = args.out[0]->data<float>() + first;
    norms(*this, {x, s.c(), step}, norm);
    for (int64_t c = 0; c < s.c(); ++c)
      y[c * step] = static_cast<float>(x[c * step] * std::pow(norm[static_cast<size_t>(c)], -beta));
  });
}

/// d_x_i = d_y_i b_i^-Beta - 2 Alpha Beta x_i sum of d_y_c x_c b_c^(-Beta - 1) over the channels c that i is
/// near to.
bool Lrn::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.in[0]->shape();
  const int64_t step = s.h() * s.w();
  std::vector<double> norm(static_cast<size_t>(s.c())), share(norm.size());
  for_positions(s, [&](int64_t first) {
    const float* x = args.in[0]->data<float>() + first;
    const float* d_y = args.d_out[0]->data<float>() + first;
    float* d_x = args.d_in[0]->data<float>() + first;
    norms(*this, {x, s.c(), step}, norm);
    for (size_t c = 0; c < share.size(); ++c) {
      const int64_t at = static_cast<int64_t>(c) * step;
      share[c] = static_cast<double>(d_y[at]) * x[at] * std::pow(norm[c], -beta - 1);
    }
    for (int64_t i = 0; i < s.c(); ++i) {
      const int64_t last = std::min<int64_t>(s.c() - 1, i + (n - 1) / 2);
      double sum = 0;
      for (int64_t c = std::max<int64_t>(0, i - n / 2); c <= last; ++c) sum += share[static_cast<size_t>(c)];
      d_x[i * step] = static_cast<float>(d_y[i * step] * std::pow(norm[static_cast<size_t>(i)], -beta) -
                                         2 * alpha * beta * x[i * step] * sum);
    }
  });
  return true;
}

graph::IntegerForm Lrn::integer_form(std::span<const Shape> in) const {
  constexpr int64_t kMostChannels = 32767;
  constexpr const char* kEnd = "'-export ONNX -nbbits -32' has it; a program needs the network to end before";
  if (k <= 0) return graph::no_integers("K=0 has no integer form", kEnd);
  if (beta < 0) return graph::no_integers("Beta below 0 has no integer form", kEnd);
  const int64_t neighbours = std::min<int64_t>(n, in[0].c());
  if (neighbours > kMostChannels)
    return graph::no_integers(fmt::format("over {} channels it has no integer form", neighbours),
                              fmt::format("up to {} channels it has", kMostChannels));
  graph::IntegerForm form = graph::rescaled_values({std::pow(k, -beta) / static_cast<double>(kOne)});
  form.taps = kOne;
  form.table = [op = *this, neighbours](const graph::TableArgs& args) {
    const int64_t largest = std::max(args.in.highest(), -args.in.lowest());
    const double weight = op.alpha / op.k * step_of(args.in) * step_of(args.in);
    constexpr auto kMost = static_cast<double>(kOne);
    const std::vector<int32_t> curve = curve_of(0, neighbours * largest * largest, 1, kMost, [&](double sum) {
      return kMost * std::pow(1 + weight * sum, -op.beta);
    });
    Tensor table(Shape{1, static_cast<int64_t>(curve.size())}, DataType::I32);
    std::copy(curve.begin(), curve.end(), table.data<int32_t>());
    return table;
  };
  return form;
}

void Lrn::integers(const graph::IntegerArgs& args) const {
  const graph::Integers &in = *args.in[0], &table = *args.in[kTableSlot];
  const int64_t channels = in.shape.c(), step = in.shape.h() * in.shape.w();
  for_positions(in.shape, [&](int64_t first) {
    for (int64_t c = 0; c < channels; ++c) {
      int64_t sum = 0;
      const int64_t last = std::min<int64_t>(channels - 1, c + n / 2);
      for (int64_t j = std::max<int64_t>(0, c - (n - 1) / 2); j <= last; ++j)
        sum += in[first + j * step] * in[first + j * step];
      const int64_t at = first + c * step;
      (*args.out[0])[at] = args.rounding.sum(in[at] * on_curve(table, 0, 0, sum), c);
    }
  });
}

void Lrn::turned(graph::TurnedNode& node) const {
  if (node.orders.at(0) && !graph::in_order(node.expect_split().channels)) node.refuse_order(0);
  node.keep_order();
}

void register_lrn(graph::OperatorRegistry& registry);
void register_lrn(graph::OperatorRegistry& registry) {
  graph::register_operator<Lrn>(registry);
}

}  // namespace n2d2::ops
