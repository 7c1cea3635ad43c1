#include "n2d2/ops/log_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/ops/softmax.hpp"

#include "channel_groups.hpp"
#include "checks.hpp"
#include "curve.hpp"
#include "table.hpp"

namespace n2d2::ops {

namespace {

/// What bounds sums, in units of integers of the input: distances and logarithms are within half of it.
constexpr int64_t kLogarithmTaps = int64_t{1} << 22;
/// The largest entry of the table.
constexpr double kMostLogarithm = 2147483647;

}  // namespace

std::vector<Shape> LogSoftmax::infer(std::span<const Shape> in) const {
  return {expect_one_map(has_table(in) ? in.first(1) : in)};
}

void LogSoftmax::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w();
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  for_groups(s, s.c(), [&](int64_t first) {
    const int64_t end = first + s.c() * pixels;
    float highest = x[first];
    for (int64_t i = first; i < end; i += pixels) highest = std::max(highest, x[i]);
    double sum = 0;
    for (int64_t i = first; i < end; i += pixels) sum += std::exp(static_cast<double>(x[i]) - highest);
    const double logarithm = std::log(sum);
    for (int64_t i = first; i < end; i += pixels)
      y[i] = static_cast<float>(static_cast<double>(x[i]) - highest - logarithm);
  });
}

bool LogSoftmax::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w();
  const float* y = args.out[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for_groups(s, s.c(), [&](int64_t first) {
    const int64_t end = first + s.c() * pixels;
    double sum = 0;
    for (int64_t i = first; i < end; i += pixels) sum += d_y[i];
    for (int64_t i = first; i < end; i += pixels)
      d_x[i] = static_cast<float>(d_y[i] - std::exp(static_cast<double>(y[i])) * sum);
  });
  return true;
}

namespace {

/// What logarithms and bounds of the sums of a quantized node are, for its number of channels.
Tensor powers_and_logarithms(const QuantParams& in, int64_t channels) {
  const std::vector<int32_t> powers = powers_of_softmax(in);
  const auto one = static_cast<double>(LogSoftmax::kOne);
  const double highest =
      std::min(kMostLogarithm, static_cast<double>(kLogarithmTaps / 2) *
                                   static_cast<double>(std::max(in.highest(), -in.lowest())));
  const std::vector<int32_t> logarithms = curve_of(
      Softmax::kOne, channels * Softmax::kOne, 0, highest,
      [&](double sum) { return one * std::log(sum / static_cast<double>(Softmax::kOne)) / step_of(in); });
  const size_t length = std::max(powers.size(), logarithms.size());
  Tensor table(Shape{2, static_cast<int64_t>(length)}, DataType::I32);
  std::copy(powers.begin(), powers.end(), table.data<int32_t>());
  std::copy(logarithms.begin(), logarithms.end(), table.data<int32_t>() + length);
  return table;
}

}  // namespace

graph::IntegerForm LogSoftmax::integer_form(std::span<const Shape> in) const {
  constexpr int64_t kMostChannels = 32767;
  const int64_t channels = in[0].c();
  if (channels > kMostChannels)
    return graph::no_integers(fmt::format("over {} channels it has no integer form", channels),
                              fmt::format("up to {} channels it has", kMostChannels));
  graph::IntegerForm form = graph::rescaled_values({1 / static_cast<double>(kOne)});
  form.taps = kLogarithmTaps;
  form.table = [channels](const graph::TableArgs& args) { return powers_and_logarithms(args.in, channels); };
  return form;
}

void LogSoftmax::integers(const graph::IntegerArgs& args) const {
  const graph::Integers &in = *args.in[0], &table = *args.in[kTableSlot];
  const int64_t length = table.shape[1], pixels = in.shape.h() * in.shape.w();
  const auto power = [&](int64_t d) { return d < length ? table[d] : 0; };
  for_groups(in.shape, in.shape.c(), [&](int64_t first) {
    const int64_t end = first + in.shape.c() * pixels;
    int64_t highest = in[first], sum = 0;
    for (int64_t i = first; i < end; i += pixels) highest = std::max(highest, in[i]);
    for (int64_t i = first; i < end; i += pixels) sum += power(highest - in[i]);
    const int64_t logarithm = on_curve(table, length, Softmax::kOne, sum);
    for (int64_t i = first; i < end; i += pixels)
      (*args.out[0])[i] = args.rounding.sum(-(kOne * (highest - in[i]) + logarithm), i / pixels);
  });
}

std::vector<Clamp> LogSoftmax::range(std::span<const Clamp>, std::span<const Shape>) const {
  return {{-std::numeric_limits<float>::infinity(), 0}};
}

/// Functions of all channels of a position do not care for their order, nor for that of positions.
void LogSoftmax::turned(graph::TurnedNode& node) const {
  if (node.orders.at(0)) node.expect_split();
  node.keep_order();
}

void register_log_softmax(graph::OperatorRegistry& registry);
void register_log_softmax(graph::OperatorRegistry& registry) {
  graph::register_operator<LogSoftmax>(registry);
}

}  // namespace n2d2::ops
