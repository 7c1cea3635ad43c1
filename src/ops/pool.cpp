#include "n2d2/ops/pool.hpp"

#include <algorithm>
#include <limits>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"
#include "window.hpp"

namespace n2d2::ops {

namespace {

Window window_of(const Pool& op, const Shape& in) {
  return make_window(in, op.kernel, op.stride, {1, 1}, op.padding);
}

/// Index of the maximum in the plane, the first one if several; -1 when a zero of the padding is larger.
int64_t argmax(const Window& w, const float* plane, int64_t oy, int64_t ox, bool count_zeros) {
  int64_t best = -1;
  bool sees_padding = false;
  for (int64_t ky = 0; ky < w.y.kernel; ++ky)
    for (int64_t kx = 0; kx < w.x.kernel; ++kx) {
      const int64_t y = w.y.position(oy, ky), x = w.x.position(ox, kx);
      if (y < 0 || y >= w.y.in || x < 0 || x >= w.x.in)
        sees_padding = true;
      else if (best < 0 || plane[y * w.x.in + x] > plane[best])
        best = y * w.x.in + x;
    }
  return sees_padding && count_zeros && (best < 0 || plane[best] < 0) ? -1 : best;
}

void max_forward(const Window& w, const float* x, float* y, bool count_zeros) {
  for (int64_t oy = 0; oy < w.y.out(); ++oy)
    for (int64_t ox = 0; ox < w.x.out(); ++ox) {
      const int64_t best = argmax(w, x, oy, ox, count_zeros);
      *y++ = best < 0 ? 0.0F : x[best];
    }
}

void max_backward(const Window& w, const float* x, const float* d_y, double* d_x, bool count_zeros) {
  for (int64_t oy = 0; oy < w.y.out(); ++oy)
    for (int64_t ox = 0; ox < w.x.out(); ++ox, ++d_y) {
      const int64_t best = argmax(w, x, oy, ox, count_zeros);
      if (best >= 0) d_x[best] += *d_y;
    }
}

/// Taps of each output of an axis that lie on the map or on padding that counts.
std::vector<int64_t> counted(const Axis& axis, int64_t before, int64_t after) {
  const int64_t first = before - axis.before, end = axis.in + axis.after - after;
  std::vector<int64_t> taps;
  for (int64_t o = 0; o < axis.out(); ++o) {
    const int64_t at = axis.position(o, 0);
    taps.push_back(std::min(end, at + axis.kernel) - std::max(first, at));
  }
  return taps;
}

/// What each pixel of the output is divided by.
std::vector<double> divisors_of(const Pool& op, const Shape& in) {
  std::vector<double> divisors;
  const std::vector<int64_t> columns = op.counted_columns(in);
  for (const int64_t row : op.counted_rows(in))
    for (const int64_t column : columns) divisors.push_back(static_cast<double>(row * column));
  return divisors;
}

void average_forward(const Window& w, const std::vector<double>& divisors, const float* x, float* y) {
  std::vector<double> sum(static_cast<size_t>(w.out_pixels()), 0.0);
  for (int64_t ky = 0; ky < w.y.kernel; ++ky)
    for (int64_t kx = 0; kx < w.x.kernel; ++kx)
      w.for_rows(ky, kx, [&](int64_t out, int64_t in, int64_t count) {
        for (int64_t j = 0; j < count; ++j) sum[out + j] += x[in + j * w.x.stride];
      });
  for (size_t i = 0; i < sum.size(); ++i) *y++ = static_cast<float>(sum[i] / divisors[i]);
}

void average_backward(const Window& w, const std::vector<double>& divisors, const float* d_y, double* d_x) {
  for (int64_t ky = 0; ky < w.y.kernel; ++ky)
    for (int64_t kx = 0; kx < w.x.kernel; ++kx)
      w.for_rows(ky, kx, [&](int64_t out, int64_t in, int64_t count) {
        for (int64_t j = 0; j < count; ++j)
          d_x[in + j * w.x.stride] += d_y[out + j] / divisors[static_cast<size_t>(out + j)];
      });
}

/// Sum and maximum of one window of a plane of integers, `outside` beside it; the maximum sees padding only
/// where it counts.
struct Seen {
  int64_t sum = 0, largest = std::numeric_limits<int64_t>::min();
};

Seen look(const Window& w, const int64_t* plane, int64_t outside, int64_t oy, int64_t ox, bool count_zeros) {
  Seen seen;
  for (int64_t ky = 0; ky < w.y.kernel; ++ky)
    for (int64_t kx = 0; kx < w.x.kernel; ++kx) {
      const int64_t y = w.y.position(oy, ky), x = w.x.position(ox, kx);
      const bool inside = y >= 0 && y < w.y.in && x >= 0 && x < w.x.in;
      const int64_t value = inside ? plane[y * w.x.in + x] : outside;
      seen.sum += value;
      if (inside || count_zeros) seen.largest = std::max(seen.largest, value);
    }
  return seen;
}

bool exceeds(const Pads& part, const Pads& whole) {
  return part.left > whole.left || part.top > whole.top || part.right > whole.right ||
         part.bottom > whole.bottom;
}

bool has_positive(const std::vector<int64_t>& counts) {
  return std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count > 0; });
}

}  // namespace

std::vector<int64_t> Pool::counted_rows(const Shape& in) const {
  return counted(window_of(*this, in).y, uncounted.top, uncounted.bottom);
}

std::vector<int64_t> Pool::counted_columns(const Shape& in) const {
  return counted(window_of(*this, in).x, uncounted.left, uncounted.right);
}

std::vector<Shape> Pool::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  const Window w = window_of(*this, s);
  if (pooling == Pooling::Max && !count_zeros &&
      (std::max(padding.left, padding.right) >= kernel.x ||
       std::max(padding.top, padding.bottom) >= kernel.y))
    throw ModelError(fmt::format("padding {} hides a whole {}x{} window from the maximum",
                                 ValueText<Pads>::print(padding), kernel.x, kernel.y));
  if (exceeds(uncounted, padding))
    throw ModelError(fmt::format("UncountedPadding {} is more than the padding {}",
                                 ValueText<Pads>::print(uncounted), ValueText<Pads>::print(padding)));
  if (uncounted != Pads{} && (!has_positive(counted_rows(s)) || !has_positive(counted_columns(s))))
    throw ModelError(fmt::format("a window of {}x{} sees nothing that counts with UncountedPadding {}",
                                 kernel.x, kernel.y, ValueText<Pads>::print(uncounted)));
  return {{s.n(), s.c(), w.y.out(), w.x.out()}};
}

void Pool::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const Window w = window_of(*this, s);
  const std::vector<double> divisors =
      pooling == Pooling::Average ? divisors_of(*this, s) : std::vector<double>{};
  for (int64_t plane = 0; plane < s.n() * s.c(); ++plane) {
    const float* x = args.in[0]->data<float>() + plane * w.in_pixels();
    float* y = args.out[0]->data<float>() + plane * w.out_pixels();
    if (pooling == Pooling::Max)
      max_forward(w, x, y, count_zeros);
    else
      average_forward(w, divisors, x, y);
  }
}

bool Pool::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.in[0]->shape();
  const Window w = window_of(*this, s);
  const std::vector<double> divisors =
      pooling == Pooling::Average ? divisors_of(*this, s) : std::vector<double>{};
  std::vector<double> sum(static_cast<size_t>(w.in_pixels()));
  for (int64_t plane = 0; plane < s.n() * s.c(); ++plane) {
    const float* d_y = args.d_out[0]->data<float>() + plane * w.out_pixels();
    std::fill(sum.begin(), sum.end(), 0.0);
    if (pooling == Pooling::Max)
      max_backward(w, args.in[0]->data<float>() + plane * w.in_pixels(), d_y, sum.data(), count_zeros);
    else
      average_backward(w, divisors, d_y, sum.data());
    std::copy(sum.begin(), sum.end(), args.d_in[0]->data<float>() + plane * w.in_pixels());
  }
  return true;
}

graph::IntegerForm Pool::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form;
  if (pooling == Pooling::Max) {
    form = graph::moved_integers();
    form.chooses = true;
    form.adds_zeros = count_zeros;
  } else {
    form.taps = int64_t{kernel.x} * kernel.y;
    form.scale = graph::ScaleOf::Own;
    form.factors = {{1 / static_cast<double>(form.taps)}};
    form.starts = uncounted == Pads{};
    form.reads_zeros = form.starts && padding != Pads{};
    if (uncounted != Pads{}) {
      form.factors[0].clear();
      for (int64_t taps = 1; taps <= form.taps; ++taps)
        form.factors[0].push_back(1 / static_cast<double>(taps));
    }
  }
  form.by_channel = true;
  return form;
}

void Pool::integers(const graph::IntegerArgs& args) const {
  const Window w = window_of(*this, args.in[0]->shape);
  graph::Integers& out = *args.out[0];
  const std::vector<int64_t> rows = counted_rows(args.in[0]->shape);
  const std::vector<int64_t> columns = counted_columns(args.in[0]->shape);
  for (int64_t i = 0; i < static_cast<int64_t>(out.values.size()); ++i) {
    const int64_t plane = i / w.out_pixels(), pixel = i % w.out_pixels();
    const int64_t* x = args.in[0]->values.data() + plane * w.in_pixels();
    const Seen seen = look(w, x, args.in[0]->zero, pixel / w.x.out(), pixel % w.x.out(), count_zeros);
    const int64_t taps =
        rows[static_cast<size_t>(pixel / w.x.out())] * columns[static_cast<size_t>(pixel % w.x.out())];
    out[i] = pooling == Pooling::Max ? seen.largest
                                     : args.rounding.sum(seen.sum, uncounted == Pads{} ? plane : taps - 1);
  }
}

std::vector<Clamp> Pool::range(std::span<const Clamp> in, std::span<const Shape>) const {
  const bool sees_zeros = padding != Pads{} && (pooling == Pooling::Average || count_zeros);
  return {sees_zeros ? unite(in[0], {0, 0}) : in[0]};
}

void Pool::turned(graph::TurnedNode& node) const {
  node.expect_map();
  auto op = std::make_unique<Pool>(*this);
  op->kernel = graph::turned(kernel);
  op->stride = graph::turned(stride);
  op->padding = graph::turned(padding);
  op->uncounted = graph::turned(uncounted);
  node.op = std::move(op);
}

void register_pool(graph::OperatorRegistry& registry);
void register_pool(graph::OperatorRegistry& registry) {
  graph::register_operator<Pool>(registry);
}

}  // namespace n2d2::ops
