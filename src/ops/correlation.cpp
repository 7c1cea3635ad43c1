#include "correlation.hpp"

#include <algorithm>

#include "checks.hpp"

namespace n2d2::ops {

namespace {

/// Calls pair(small, large, w) for each connected pair of channels; w is the index of the pair's first
/// weight.
template <class Pair>
void for_pairs(const Correlation& c, Pair&& pair) {
  const int64_t group_in = c.inputs / c.groups, group_out = c.outputs / c.groups;
  for (int64_t o = 0; o < c.outputs; ++o)
    for (int64_t i = 0; i < group_in; ++i) {
      const int64_t in = o / group_out * group_in + i, w = (o * group_in + i) * c.taps();
      if (!c.connections.empty() && c.connections[static_cast<size_t>(in * c.outputs + o)] == 0) continue;
      if (c.output == OutputMap::Small)
        pair(o, in, w);
      else
        pair(in, o, w);
    }
}

/// Calls row(tap, small, large, count) for each row of windows and each tap that is on the large map:
/// elements small, small + 1, ... meet large, large + x.stride, ...
template <class Row>
void for_taps(const Correlation& c, Row&& row) {
  const Window& w = c.window;
  for (int64_t tap = 0; tap < c.taps(); ++tap)
    w.for_rows(tap / w.x.kernel, tap % w.x.kernel,
               [&](int64_t small, int64_t large, int64_t count) { row(tap, small, large, count); });
}

template <class Sum, class Bias>
std::vector<Sum> start_of(const Bias* biases, int64_t channels, int64_t pixels) {
  std::vector<Sum> sum(static_cast<size_t>(channels * pixels), 0);
  if (biases == nullptr) return sum;
  for (int64_t i = 0; i < channels; ++i)
    std::fill_n(sum.begin() + i * pixels, pixels, static_cast<Sum>(biases[i]));
  return sum;
}

/// Returns the initial sums of the small map where each pixel takes its biases from a row of `bias_rows`.
template <class Sum, class Bias>
std::vector<Sum> start_of_rows(const Correlation& c, const Bias* biases) {
  const int64_t channels = c.small_channels();
  std::vector<Sum> sum;
  for (int64_t i = 0; i < channels; ++i)
    for (const int64_t row : c.bias_rows) sum.push_back(static_cast<Sum>(biases[row * channels + i]));
  return sum;
}

/// Computes the sums of all windows of one sample, biases included.
template <class Sum, class X>
std::vector<Sum> windows(const Correlation& c, const X* weights, const X* biases, const X* large) {
  const int64_t small_size = c.window.out_pixels(), large_size = c.window.in_pixels(),
                step = c.window.x.stride;
  std::vector<Sum> sum = c.bias_rows.empty() ? start_of<Sum>(biases, c.small_channels(), small_size)
                                             : start_of_rows<Sum>(c, biases);
  for_pairs(c, [&](int64_t s, int64_t l, int64_t w) {
    const X* from = large + l * large_size;
    Sum* to = sum.data() + s * small_size;
    for_taps(c, [&](int64_t tap, int64_t at, int64_t first, int64_t count) {
      for (int64_t j = 0; j < count; ++j)
        to[at + j] += static_cast<Sum>(weights[w + tap]) * from[first + j * step];
    });
  });
  return sum;
}

}  // namespace

void expect_weights(std::span<const Shape> in, int nb_outputs, int groups, std::span<const int> connections,
                    Dims kernel) {
  expect_inputs(in, 2, 3);
  expect_map(in, 0);
  expect_at_least("NbOutputs", nb_outputs, 1);
  expect_at_least("Groups", groups, 1);
  const int64_t channels = in[0].c();
  if (channels % groups != 0 || nb_outputs % groups != 0)
    throw ModelError(fmt::format("{} groups do not divide {} input channels and {} outputs", groups, channels,
                                 nb_outputs));
  if (!connections.empty()) {
    if (groups > 1) throw ModelError("Connections and Groups exclude each other");
    if (static_cast<int64_t>(connections.size()) != channels * nb_outputs)
      throw ModelError(fmt::format("Connections has {} entries, expected {} channels x {} outputs",
                                   connections.size(), channels, nb_outputs));
  }
  if (in[1].rank() == 4 && in[1][1] * groups != channels)
    throw ModelError(fmt::format("input 0 has {} channels, weights expect {}", channels, in[1][1] * groups));
  expect_parameter(in, 1, "weights", {nb_outputs, channels / groups, kernel.y, kernel.x});
  if (in.size() == 3) expect_parameter(in, 2, "biases", {nb_outputs});
}

void correlate(const Correlation& c, const float* weights, const float* biases, const float* large,
               float* small) {
  const int64_t small_map = c.small_channels() * c.window.out_pixels();
  const int64_t large_map = c.large_channels() * c.window.in_pixels();
  for (int64_t n = 0; n < c.batch; ++n) {
    const std::vector<double> sum = windows<double>(c, weights, biases, large + n * large_map);
    std::copy(sum.begin(), sum.end(), small + n * small_map);
  }
}

std::vector<int64_t> correlate(const Correlation& c, const int64_t* weights, const int64_t* biases,
                               const int64_t* large) {
  return windows<int64_t>(c, weights, biases, large);
}

void spread(const Correlation& c, const float* weights, const float* biases, const float* small,
            float* large) {
  const int64_t small_size = c.window.out_pixels(), large_size = c.window.in_pixels(),
                step = c.window.x.stride;
  for (int64_t n = 0; n < c.batch; ++n) {
    std::vector<double> sum = start_of<double>(biases, c.large_channels(), large_size);
    for_pairs(c, [&](int64_t s, int64_t l, int64_t w) {
      const float* from = small + (n * c.small_channels() + s) * small_size;
      double* to = sum.data() + l * large_size;
      for_taps(c, [&](int64_t tap, int64_t at, int64_t first, int64_t count) {
        for (int64_t j = 0; j < count; ++j)
          to[first + j * step] += static_cast<double>(weights[w + tap]) * from[at + j];
      });
    });
    std::copy(sum.begin(), sum.end(), large + n * c.large_channels() * large_size);
  }
}

void weight_gradient(const Correlation& c, const float* large, const float* small, Tensor& d_w) {
  const int64_t small_size = c.window.out_pixels(), large_size = c.window.in_pixels(),
                step = c.window.x.stride;
  d_w.fill(0);
  std::vector<double> sum(static_cast<size_t>(c.taps()));
  for_pairs(c, [&](int64_t s, int64_t l, int64_t w) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int64_t n = 0; n < c.batch; ++n) {
      const float* a = small + (n * c.small_channels() + s) * small_size;
      const float* b = large + (n * c.large_channels() + l) * large_size;
      for_taps(c, [&](int64_t tap, int64_t at, int64_t first, int64_t count) {
        double part = 0;
        for (int64_t j = 0; j < count; ++j) part += static_cast<double>(a[at + j]) * b[first + j * step];
        sum[static_cast<size_t>(tap)] += part;
      });
    }
    std::copy(sum.begin(), sum.end(), d_w.data<float>() + w);
  });
}

void bias_gradient(const Tensor& d_out, Tensor& d_b) {
  const Shape& shape = d_out.shape();
  const int64_t pixels = shape.h() * shape.w();
  for (int64_t o = 0; o < shape.c(); ++o) {
    double sum = 0;
    for (int64_t n = 0; n < shape.n(); ++n)
      for (int64_t p = 0; p < pixels; ++p) sum += d_out.data<float>()[(n * shape.c() + o) * pixels + p];
    d_b.data<float>()[o] = static_cast<float>(sum);
  }
}

}  // namespace n2d2::ops
