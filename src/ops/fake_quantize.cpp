#include "n2d2/ops/fake_quantize.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/clones.hpp"
#include "n2d2/base/nearest_whole.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"
#include "held_rounding.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

namespace {

template <class T>
T of_channel(const std::vector<T>& list, int64_t channel) {
  return list.size() == 1 ? list[0] : list.at(static_cast<size_t>(channel));
}

void expect_one_or_all(std::string_view field, size_t count, int64_t channels) {
  if (count != 1 && static_cast<int64_t>(count) != channels)
    throw ModelError(
        fmt::format("{} has {} values, expected 1 or {} (one a channel)", field, count, channels));
}

struct Plane {
  int64_t first = 0, end = 0;
  float step = 1, least = 0, most = 0;  ///< bounds are q - z
};

template <class Body>
void for_planes(const FakeQuantize& op, const Shape& shape, const Body& body) {
  const int64_t pixels = shape.h() * shape.w();
  for (int64_t plane = 0; plane < shape.n() * shape.c(); ++plane) {
    const FakeQuantize::Steps steps = op.steps(plane % shape.c());
    body(Plane{plane * pixels, (plane + 1) * pixels, op.step(plane % shape.c()),
               static_cast<float>(steps.least), static_cast<float>(steps.most)});
  }
}

N2D2_CLONES
void round_plane(const Plane& p, const float* x, float* y) {
  for (int64_t i = p.first; i < p.end; ++i)
    y[i] = nearest_whole(std::clamp(x[i] / p.step, p.least, p.most)) * p.step;
}

}  // namespace

FakeQuantize::Steps FakeQuantize::steps(int64_t channel) const {
  const QuantParams q{bits, is_signed, -1, {}};
  const int64_t zero = of_channel(zero_point, channel);
  if (bounds.empty()) return {q.lowest() - zero, q.highest() - zero};
  return {bounds.at(0) - zero, bounds.at(1) - zero};
}

float FakeQuantize::step(int64_t channel) const {
  return static_cast<float>(of_channel(scale, channel));
}

std::vector<Shape> FakeQuantize::infer(std::span<const Shape> in) const {
  const Shape& shape = expect_one_map(in);
  expect_one_or_all("Scale", scale.size(), shape.c());
  expect_one_or_all("ZeroPoint", zero_point.size(), shape.c());
  for (const double s : scale)
    if (!(static_cast<float>(s) > 0) || !std::isfinite(static_cast<float>(s)))
      throw ModelError(fmt::format("Scale is {}, expected a positive number", print_real(s)));
  const QuantParams q{bits, is_signed, -1, {}};
  for (const int zero : zero_point)
    if (zero < q.lowest() || zero > q.highest())
      throw ModelError(fmt::format("ZeroPoint is {}, expected {} to {}", zero, q.lowest(), q.highest()));
  if (!bounds.empty() &&
      (bounds.size() != 2 || bounds[0] > bounds[1] || bounds[0] < q.lowest() || bounds[1] > q.highest()))
    throw ModelError(fmt::format("Bounds is '{}', expected two integers of {} to {}, the least first",
                                 ValueText<std::vector<int>>::print(bounds), q.lowest(), q.highest()));
  return {shape};
}

void FakeQuantize::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  for_planes(*this, args.in[0]->shape(), [&](const Plane& plane) { round_plane(plane, x, y); });
}

bool FakeQuantize::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const float* x = args.in[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for_planes(*this, args.in[0]->shape(), [&](const Plane& plane) {
    for (int64_t i = plane.first; i < plane.end; ++i) {
      const float q = std::nearbyint(x[i] / plane.step);
      d_x[i] = q >= plane.least && q <= plane.most ? d_y[i] : 0.0F;
    }
  });
  return true;
}

std::unique_ptr<graph::Operator> FakeQuantize::surrogate(std::span<const Tensor* const> in) const {
  auto out = std::make_unique<HeldRounding>();
  const float* x = in[0]->data<float>();
  for_planes(*this, in[0]->shape(), [&](const Plane& plane) {
    for (int64_t i = plane.first; i < plane.end; ++i) {
      const double q = std::nearbyint(double{x[i]} / plane.step);
      const double clipped = std::clamp<double>(q, plane.least, plane.most) * plane.step;
      out->is_inside.push_back(q >= plane.least && q <= plane.most ? 1 : 0);
      out->held.push_back(clipped - (out->is_inside.back() != 0 ? x[i] : 0));
    }
  });
  return out;
}

graph::IntegerForm FakeQuantize::integer_form(std::span<const Shape>) const {
  return graph::no_integers(
      "it has no integer form and was not removed before quantization",
      fmt::format("'-nbbits {}' exports the integers that it rounds to; a program of floats has no rounding",
                  bits));
}

/// Rounding reaches the next step outside the interval.
std::vector<Clamp> FakeQuantize::range(std::span<const Clamp> in, std::span<const Shape>) const {
  Clamp all;
  for (size_t k = 0; k < std::max(scale.size(), zero_point.size()); ++k) {
    const auto channel = static_cast<int64_t>(k);
    const float width = step(channel);
    const Steps reach = steps(channel);
    const Clamp grid{static_cast<float>(reach.least) * width, static_cast<float>(reach.most) * width};
    const Clamp rounded =
        compose({std::floor(in[0].lo / width) * width, std::ceil(in[0].hi / width) * width}, grid);
    all = k == 0 ? rounded : unite(all, rounded);
  }
  return {all};
}

void FakeQuantize::turned(graph::TurnedNode& node) const {
  if (scale.size() == 1 && zero_point.size() == 1) return node.keep_order();
  const auto channels = node.keep_channels();
  if (!channels) return;
  auto op = std::make_unique<FakeQuantize>(*this);
  op->scale = graph::picked(scale, *channels);
  op->zero_point = graph::picked(zero_point, *channels);
  node.op = std::move(op);
}

void register_fake_quantize(graph::OperatorRegistry& registry);
void register_fake_quantize(graph::OperatorRegistry& registry) {
  graph::register_operator<FakeQuantize>(registry);
}

}  // namespace n2d2::ops
