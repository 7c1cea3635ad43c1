#include <algorithm>
#include <cmath>

#include "n2d2/graph/turn.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

namespace {

/// Sums of 8 bits stay within 32.
constexpr double kMostSlope = 100;

}  // namespace

std::optional<Clamp> Relu::clamp() const {
  if (leak_slope != 0) return std::nullopt;
  Clamp out;
  out.lo = 0;
  if (clipping > 0) out.hi = static_cast<float>(clipping);
  return out;
}

std::vector<Shape> Relu::infer(std::span<const Shape> in) const {
  return {expect_one_map(in)};
}

void Relu::forward(const graph::ForwardArgs& args) const {
  const float slope = static_cast<float>(leak_slope), clip = static_cast<float>(clipping);
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  // Without slope 0 even of -infinity.
  for (int64_t i = 0; i < args.in[0]->elements(); ++i)
    y[i] = x[i] <= 0 ? (slope == 0 ? 0.0F : slope * x[i]) : clip > 0 && x[i] > clip ? clip : x[i];
}

bool Relu::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const float slope = static_cast<float>(leak_slope), clip = static_cast<float>(clipping);
  const float* x = args.in[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for (int64_t i = 0; i < args.in[0]->elements(); ++i)
    d_x[i] = x[i] <= 0 ? slope * d_y[i] : clip > 0 && x[i] >= clip ? 0.0F : d_y[i];
  return true;
}

int Relu::taps_below() const {
  return static_cast<int>(std::lround(leak_slope * kTaps));
}

graph::IntegerForm Relu::integer_form(std::span<const Shape>) const {
  if (std::abs(leak_slope) > kMostSlope)
    return graph::no_integers(fmt::format("LeakSlope {} has no integer form", print_real(leak_slope)),
                              fmt::format("slopes from {} to {} have one", -kMostSlope, kMostSlope));
  if (leak_slope != 0 && clipping > 0)
    return graph::no_integers(
        fmt::format("LeakSlope {} with Clipping has no integer form", print_real(leak_slope)),
        "use one of them");
  graph::IntegerForm form = graph::rescaled_values({1});
  form.clamp = clamp();
  form.by_channel = clipping == 0;
  if (leak_slope == 0) return form;
  form.factors = {{1.0 / kTaps}};
  form.taps = std::max(kTaps, std::abs(taps_below()));
  return form;
}

/// The bounds of the rounding are those of the clamp.
void Relu::integers(const graph::IntegerArgs& args) const {
  if (leak_slope == 0) return round_each(args);
  std::vector<int64_t> sums = args.in[0]->values;
  for (int64_t& x : sums) x *= x > 0 ? kTaps : taps_below();
  round_channels(args, sums);
}

std::vector<Clamp> Relu::range(std::span<const Clamp> in, std::span<const Shape>) const {
  if (const auto all = clamp()) return {compose(in[0], *all)};
  const Clamp leaked = times(leak_slope, {std::min(in[0].lo, 0.0F), std::min(in[0].hi, 0.0F)});
  Clamp out = unite(leaked, {std::max(in[0].lo, 0.0F), std::max(in[0].hi, 0.0F)});
  if (clipping > 0 && leak_slope >= 0) out.hi = std::min(out.hi, static_cast<float>(clipping));
  return {out};
}

void Relu::turned(graph::TurnedNode& node) const {
  node.keep_order();
}

void register_relu(graph::OperatorRegistry& registry);
void register_relu(graph::OperatorRegistry& registry) {
  graph::register_operator<Relu>(registry);
}

}  // namespace n2d2::ops
