#include "n2d2/ops/fake_quantize.hpp"

#include <algorithm>
#include <cmath>

#include "checks.hpp"

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

/// Calls body(element, step, least, most) for all elements; the bounds are q - z as floats.
template <class Body>
void for_elements(const FakeQuantize& op, const Shape& shape, const Body& body) {
  const int64_t pixels = shape.h() * shape.w();
  for (int64_t plane = 0; plane < shape.n() * shape.c(); ++plane) {
    const int64_t channel = plane % shape.c();
    const float step = op.step(channel);
    const FakeQuantize::Steps steps = op.steps(channel);
    const auto least = static_cast<float>(steps.least), most = static_cast<float>(steps.most);
    for (int64_t i = plane * pixels; i < (plane + 1) * pixels; ++i) body(i, step, least, most);
  }
}

}  // namespace

FakeQuantize::Steps FakeQuantize::steps(int64_t channel) const {
  const QuantParams q{bits, is_signed, -1, {}};
  const int64_t zero = of_channel(zero_point, channel);
  return {q.lowest() - zero, q.highest() - zero};
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
  return {shape};
}

void FakeQuantize::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  for_elements(*this, args.in[0]->shape(), [&](int64_t i, float step, float least, float most) {
    y[i] = std::clamp(std::nearbyint(x[i] / step), least, most) * step;
  });
}

bool FakeQuantize::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const float* x = args.in[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for_elements(*this, args.in[0]->shape(), [&](int64_t i, float step, float least, float most) {
    const float q = std::nearbyint(x[i] / step);
    d_x[i] = q >= least && q <= most ? d_y[i] : 0.0F;
  });
  return true;
}

void register_fake_quantize(graph::OperatorRegistry& registry);
void register_fake_quantize(graph::OperatorRegistry& registry) {
  graph::register_operator<FakeQuantize>(registry);
}

}  // namespace n2d2::ops
