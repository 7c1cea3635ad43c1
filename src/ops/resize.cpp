#include "n2d2/ops/resize.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"

#include "checks.hpp"

namespace n2d2::ops {

namespace {

using Source = ResizeSource;
using Sources = std::vector<Source>;

/// Position of `o` plus half a pixel, if any, before the shift back: a quotient is rounded once, so that a
/// position that falls on a pixel, or between two, does so exactly.
double scaled(int64_t o, double half, int64_t in, int64_t out, double scale) {
  if (scale == 0) return (static_cast<double>(o) + half) * static_cast<double>(in) / static_cast<double>(out);
  return static_cast<double>((static_cast<float>(o) + static_cast<float>(half)) / static_cast<float>(scale));
}

double position(ResizePositions positions, int64_t o, int64_t in, int64_t out, double scale) {
  switch (positions) {
    case ResizePositions::Asymmetric:
      return scaled(o, 0, in, out, scale);
    case ResizePositions::AlignCorners:
      return out == 1 ? 0 : static_cast<double>(o * (in - 1)) / static_cast<double>(out - 1);
    case ResizePositions::PytorchHalfPixel:
      if (out == 1) return 0;
      [[fallthrough]];
    case ResizePositions::HalfPixel:
      return scaled(o, 0.5, in, out, scale) - 0.5;
    case ResizePositions::TfHalfPixel:
      return scaled(o, 0.5, in, out, scale);
  }
  throw InternalError("positions of a Resize", __FILE__, __LINE__);
}

double nearest(ResizeRounding rounding, double x) {
  switch (rounding) {
    case ResizeRounding::Floor:
      return std::floor(x);
    case ResizeRounding::Ceil:
      return std::ceil(x);
    case ResizeRounding::RoundPreferFloor:
      return std::ceil(x - 0.5);
    case ResizeRounding::RoundPreferCeil:
      return std::floor(x + 0.5);
  }
  throw InternalError("rounding of a Resize", __FILE__, __LINE__);
}

Sources sources_of(const Resize& op, int64_t in, int64_t out, double scale) {
  Sources sources;
  for (int64_t o = 0; o < out; ++o) {
    const double x = position(op.positions, o, in, out, scale), border = static_cast<double>(in - 1);
    const bool picks = op.mode == ResizeMode::NearestNeighbor;
    const double at = std::clamp(picks ? nearest(op.rounding, x) : x, 0.0, border);
    const auto first = static_cast<int64_t>(at);
    sources.push_back({first, std::min(first + 1, in - 1), at - static_cast<double>(first)});
  }
  return sources;
}

/// The tables of both axes.
struct Tables {
  Sources y, x;
  int64_t in_width, in_pixels;
};

Tables tables_of(const Resize& op, const Shape& in) {
  return {op.rows(in), op.columns(in), in.w(), in.h() * in.w()};
}

/// Calls body(out, index, weight) for each pixel of a plane and each of the up to four it is made of.
template <class Body>
void for_sources(const Tables& t, Body&& body) {
  int64_t out = 0;
  for (const Source& y : t.y)
    for (const Source& x : t.x) {
      const int64_t top = y.first * t.in_width, bottom = y.second * t.in_width;
      body(out, top + x.first, (1 - y.weight) * (1 - x.weight));
      if (x.weight > 0) body(out, top + x.second, (1 - y.weight) * x.weight);
      if (y.weight > 0) body(out, bottom + x.first, y.weight * (1 - x.weight));
      if (x.weight > 0 && y.weight > 0) body(out, bottom + x.second, y.weight * x.weight);
      ++out;
    }
}

}  // namespace

std::vector<ResizeSource> Resize::rows(const Shape& in) const {
  return sources_of(*this, in.h(), output_height, scale_y);
}

std::vector<ResizeSource> Resize::columns(const Shape& in) const {
  return sources_of(*this, in.w(), output_width, scale_x);
}

int64_t Resize::part_of(const ResizeSource& source) {
  return std::llround(source.weight * static_cast<double>(kOne));
}

std::vector<Shape> Resize::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  expect_at_least("OutputWidth", output_width, 1);
  expect_at_least("OutputHeight", output_height, 1);
  return {{s.n(), s.c(), output_height, output_width}};
}

void Resize::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const Tables tables = tables_of(*this, s);
  std::vector<double> sum(static_cast<size_t>(output_width) * static_cast<size_t>(output_height));
  for (int64_t plane = 0; plane < s.n() * s.c(); ++plane) {
    const float* in = args.in[0]->data<float>() + plane * tables.in_pixels;
    std::fill(sum.begin(), sum.end(), 0.0);
    for_sources(tables, [&](int64_t out, int64_t index, double weight) {
      sum[static_cast<size_t>(out)] += weight * in[index];
    });
    std::copy(sum.begin(), sum.end(), args.out[0]->data<float>() + plane * static_cast<int64_t>(sum.size()));
  }
}

bool Resize::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.d_in[0]->shape();
  const Tables tables = tables_of(*this, s);
  const int64_t pixels = int64_t{output_width} * output_height;
  std::vector<double> sum(static_cast<size_t>(tables.in_pixels));
  for (int64_t plane = 0; plane < s.n() * s.c(); ++plane) {
    const float* d_out = args.d_out[0]->data<float>() + plane * pixels;
    std::fill(sum.begin(), sum.end(), 0.0);
    for_sources(tables, [&](int64_t out, int64_t index, double weight) {
      sum[static_cast<size_t>(index)] += weight * d_out[out];
    });
    std::copy(sum.begin(), sum.end(), args.d_in[0]->data<float>() + plane * tables.in_pixels);
  }
  return true;
}

graph::IntegerForm Resize::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form = graph::moved_integers();
  if (mode != ResizeMode::NearestNeighbor) {
    form = graph::rescaled_values({1 / static_cast<double>(kOne * kOne)});
    form.taps = kOne * kOne;
    form.starts = true;
  }
  form.by_channel = true;
  return form;
}

void Resize::integers(const graph::IntegerArgs& args) const {
  const Tables tables = tables_of(*this, args.in[0]->shape);
  const Shape& s = args.out[0]->shape;
  for (int64_t plane = 0; plane < s.c(); ++plane)
    for (int64_t i = 0; i < s.h() * s.w(); ++i) {
      const Source &y = tables.y[static_cast<size_t>(i / s.w())],
                   &x = tables.x[static_cast<size_t>(i % s.w())];
      const auto at = [&](int64_t row, int64_t column) {
        return (*args.in[0])[plane * tables.in_pixels + row * tables.in_width + column];
      };
      int64_t& out = (*args.out[0])[plane * s.h() * s.w() + i];
      if (mode == ResizeMode::NearestNeighbor) {
        out = at(y.first, x.first);
        continue;
      }
      const int64_t below = part_of(y), right = part_of(x);
      const int64_t top = (kOne - right) * at(y.first, x.first) + right * at(y.first, x.second);
      const int64_t bottom = (kOne - right) * at(y.second, x.first) + right * at(y.second, x.second);
      out = args.rounding.sum((kOne - below) * top + below * bottom, plane);
    }
}

std::vector<Clamp> Resize::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

void Resize::turned(graph::TurnedNode& node) const {
  node.expect_map();
  auto op = std::make_unique<Resize>(*this);
  std::swap(op->output_width, op->output_height);
  std::swap(op->scale_x, op->scale_y);
  node.op = std::move(op);
}

void register_resize(graph::OperatorRegistry& registry);
void register_resize(graph::OperatorRegistry& registry) {
  graph::register_operator<Resize>(registry);
}

}  // namespace n2d2::ops
