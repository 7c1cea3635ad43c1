#include "n2d2/ops/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/graph/turn.hpp"

#include "channel_groups.hpp"
#include "checks.hpp"
#include "table.hpp"

namespace n2d2::ops {

namespace {

constexpr int kReciprocalBits = 46, kShareBits = 24;
constexpr int kProductShift = kReciprocalBits - kShareBits;
static_assert(Softmax::kShare == int64_t{1} << kShareBits);

Tensor powers_of(const graph::TableArgs& args) {
  const std::vector<int32_t> powers = powers_of_softmax(args.in);
  Tensor table(Shape{1, static_cast<int64_t>(powers.size())}, DataType::I32);
  std::copy(powers.begin(), powers.end(), table.data<int32_t>());
  return table;
}

}  // namespace

std::vector<int32_t> powers_of_softmax(const QuantParams& in) {
  std::vector<int32_t> powers;
  const double step = step_of(in);
  for (int64_t d = 0; d < int64_t{1} << in.bits; ++d) {
    const double power = std::exp(-static_cast<double>(d) * step) * static_cast<double>(Softmax::kOne);
    const auto nearest = static_cast<int32_t>(std::nearbyint(power));
    if (nearest == 0) break;
    powers.push_back(nearest);
  }
  return powers;
}

std::vector<Shape> Softmax::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(has_table(in) ? in.first(1) : in);
  if (group_size > 0 && s.c() % group_size != 0)
    throw ModelError(fmt::format("GroupSize {} does not divide {} channels", group_size, s.c()));
  return {s};
}

void Softmax::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w(), size = group_size > 0 ? group_size : s.c();
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  std::vector<double> e(static_cast<size_t>(size));
  for_groups(s, size, [&](int64_t first) {
    float highest = x[first];
    for (int64_t k = 1; k < size; ++k) highest = std::max(highest, x[first + k * pixels]);
    double sum = 0;
    for (int64_t k = 0; k < size; ++k) {
      e[k] = std::exp(static_cast<double>(x[first + k * pixels]) - highest);
      sum += e[k];
    }
    for (int64_t k = 0; k < size; ++k) y[first + k * pixels] = static_cast<float>(e[k] / sum);
  });
}

bool Softmax::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w(), size = group_size > 0 ? group_size : s.c();
  const float* y = args.out[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for_groups(s, size, [&](int64_t first) {
    double dot = 0;
    for (int64_t i = first; i < first + size * pixels; i += pixels) dot += static_cast<double>(d_y[i]) * y[i];
    for (int64_t i = first; i < first + size * pixels; i += pixels)
      d_x[i] = static_cast<float>(y[i] * (d_y[i] - dot));
  });
  return true;
}

graph::IntegerForm Softmax::integer_form(std::span<const Shape> in) const {
  constexpr int64_t kMostChannels = 32767;
  if (in[0].c() > kMostChannels)
    return graph::no_integers(fmt::format("over {} channels it has no integer form", in[0].c()),
                              fmt::format("up to {} channels it has", kMostChannels));
  graph::IntegerForm form = graph::rescaled_values({1});
  form.unit = graph::Unit{1 / static_cast<double>(kShare), static_cast<double>(kShare)};
  form.table = powers_of;
  return form;
}

void Softmax::integers(const graph::IntegerArgs& args) const {
  const graph::Integers &in = *args.in[0], &table = *args.in[kTableSlot];
  const Shape& s = in.shape;
  const int64_t pixels = s.h() * s.w(), size = group_size > 0 ? group_size : s.c();
  const auto power = [&](int64_t d) { return d < table.shape[1] ? table[d] : 0; };
  for_groups(s, size, [&](int64_t first) {
    int64_t highest = in[first], sum = 0;
    for (int64_t k = 1; k < size; ++k) highest = std::max(highest, in[first + k * pixels]);
    for (int64_t k = 0; k < size; ++k) sum += power(highest - in[first + k * pixels]);
    const int64_t reciprocal = (int64_t{1} << kReciprocalBits) / sum;
    for (int64_t i = first; i < first + size * pixels; i += pixels)
      (*args.out[0])[i] =
          args.rounding.sum((power(highest - in[i]) * reciprocal) >> kProductShift, i / pixels);
  });
}

std::vector<Clamp> Softmax::range(std::span<const Clamp>, std::span<const Shape>) const {
  return {{0, 1}};
}

/// Functions of all channels of a position do not care for their order, nor for that of positions.
void Softmax::turned(graph::TurnedNode& node) const {
  if (group_size > 0) node.expect_map();
  if (node.orders.at(0)) node.expect_split();
  node.keep_order();
}

void register_softmax(graph::OperatorRegistry& registry);
void register_softmax(graph::OperatorRegistry& registry) {
  graph::register_operator<Softmax>(registry);
}

}  // namespace n2d2::ops
